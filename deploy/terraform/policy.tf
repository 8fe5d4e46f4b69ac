# What the role may do is said once, in deploy/iam-policy.json: of it, what the sources here need.

locals {
  needed = {
    focus          = ["ExportListing", "ExportFiles", "ExportHealth", "TagKeys"]
    cur2           = ["ExportListing", "ExportFiles", "ExportHealth", "TagKeys"]
    cost_explorer  = ["CostExplorer", "TagKeys"]
    cloudwatch     = ["Metrics"]
    utilisation    = ["Metrics"]
    sagemaker      = ["TrainingJobs"]
    sagemaker_jobs = ["TrainingJobs"]
    hyperpod       = ["HyperPodNodes", "ExportListing", "ExportFiles"]
    batch          = ["BatchJobs"]
    price_list     = ["PriceList"]
    spot_prices    = ["SpotPrices"]
    savings_plans  = ["SavingsPlans"]
    capacity       = ["Capacity"]
    files          = ["ExportListing", "ExportFiles"]
    organization   = ["Organization", "OtherAccounts"]
  }
  sids = toset(flatten([for source in var.sources : local.needed[source]]))
  whole = jsondecode(replace(
    replace(file("${path.module}/../iam-policy.json"), "YOUR-BUCKET", var.bucket),
    "YOUR-PREFIX", var.prefix,
  ))
  policy = jsonencode({
    Version   = local.whole.Version
    Statement = [for one in local.whole.Statement : one if contains(local.sids, one.Sid)]
  })
}
