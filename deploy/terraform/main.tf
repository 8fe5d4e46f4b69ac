# The role that breakeven reads with, and, in the account that pays, the bill it reads:
#   terraform init && terraform apply -var bucket=our-bills -var external_id=agreed-upon \
#     -var 'sources=["focus", "price_list", "organization"]' \
#     -var 'trusted_principals=["arn:aws:iam::999900000001:role/breakeven"]'
# In a member account: -var create_export=false -var 'sources=["cloudwatch", "sagemaker"]'.
# Data Exports is an API of us-east-1.
#
# .terraform.lock.hcl pins the provider without its hashes, which only its registry can tell. Before
# the first apply: terraform providers lock -platform=linux_amd64 -platform=darwin_arm64

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "5.100.0"
    }
  }
}

provider "aws" {
  region = "us-east-1"
}

data "aws_caller_identity" "this" {}

locals {
  account = data.aws_caller_identity.this.account_id
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "AWS"
      identifiers = var.trusted_principals
    }

    condition {
      test     = "StringEquals"
      variable = "sts:ExternalId"
      values   = [var.external_id]
    }
  }
}

resource "aws_iam_role" "reader" {
  name               = "breakeven-reader"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "reader" {
  name   = "breakeven-reader"
  role   = aws_iam_role.reader.id
  policy = local.policy
}

# S3 decrypts on the reader's behalf; without a key of your own nothing is needed. The key's own
# policy must let bcm-data-exports.amazonaws.com use kms:GenerateDataKey* and kms:Decrypt.
resource "aws_iam_role_policy" "key" {
  count = var.kms_key_arn == "" ? 0 : 1
  name  = "breakeven-key"
  role  = aws_iam_role.reader.id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid      = "ExportKey"
      Effect   = "Allow"
      Action   = "kms:Decrypt"
      Resource = var.kms_key_arn
    }]
  })
}

output "role_arn" {
  description = "For role_arn in breakeven.toml."
  value       = aws_iam_role.reader.arn
}
