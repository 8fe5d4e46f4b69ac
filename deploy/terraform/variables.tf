variable "bucket" {
  description = "The S3 bucket that holds the bill; it is created where create_export is true."
  type        = string
}

variable "prefix" {
  description = "The folder of the bucket in which the export's files lie; the role reads below it."
  type        = string
  default     = "breakeven"

  validation {
    condition     = can(regex("^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?$", var.prefix))
    error_message = "A folder, without slashes at its ends and without wildcards."
  }
}

variable "create_export" {
  description = "Whether to create the bucket and the FOCUS export. False in member accounts."
  type        = bool
  default     = true
}

variable "trusted_principals" {
  description = "ARNs that may assume the role: where breakeven runs."
  type        = list(string)

  validation {
    condition = alltrue([
      for one in var.trusted_principals :
      can(regex("^arn:aws[a-z-]*:(iam|sts)::[0-9]{12}:(role|user|assumed-role)/[^*]+$", one))
    ])
    error_message = "ARNs of roles or users; neither a whole account nor everybody (*)."
  }
}

variable "sources" {
  description = <<-TEXT
    What this account is read for, which decides what the role may do: the kinds of [[sources]],
    "files" for files of yours in the bucket, "organization" where other accounts are read from here.
  TEXT
  type        = list(string)

  validation {
    condition = length(var.sources) > 0 && alltrue([
      for source in var.sources : contains([
        "focus", "cur2", "cost_explorer", "cloudwatch", "utilisation", "sagemaker",
        "sagemaker_jobs", "hyperpod", "batch", "price_list", "spot_prices", "savings_plans",
        "capacity", "files", "organization",
      ], source)
    ])
    error_message = "At least one kind of source that asks AWS, \"files\" or \"organization\"."
  }
}

variable "external_id" {
  description = "What organization.external_id, or external_id of the source, says."
  type        = string

  validation {
    condition     = can(regex("^[A-Za-z0-9+=,.@:/_-]{8,}$", var.external_id))
    error_message = "At least 8 letters, digits and +=,.@:/_-."
  }
}

variable "kms_key_arn" {
  description = "The key that encrypts the bucket, where it is a customer-managed one."
  type        = string
  default     = ""
}
