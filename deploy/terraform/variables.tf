variable "bucket" {
  description = "The S3 bucket that holds the bill; it is created where create_export is true."
  type        = string
}

variable "prefix" {
  description = "Where the export's files lie in the bucket."
  type        = string
  default     = "breakeven"
}

variable "create_export" {
  description = "Whether to create the bucket and the FOCUS export. False in member accounts."
  type        = bool
  default     = true
}

variable "trusted_principals" {
  description = "ARNs that may assume the role: where breakeven runs."
  type        = list(string)
}

variable "external_id" {
  description = "What organization.external_id says; empty asks for none."
  type        = string
  default     = ""
}

variable "kms_key_arn" {
  description = "The key that encrypts the bucket, where it is a customer-managed one."
  type        = string
  default     = ""
}
