# The bill: a FOCUS 1.2 export with the columns that breakeven reads, in a bucket of its own.

locals {
  columns = [
    "BilledCost",
    "BillingAccountId",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "CapacityReservationId",
    "CapacityReservationStatus",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "CommitmentDiscountId",
    "CommitmentDiscountStatus",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceId",
    "ListCost",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "ResourceId",
    "ServiceCategory",
    "ServiceName",
    "SkuMeter",
    "SkuPriceDetails",
    "SubAccountId",
    "Tags",
  ]
}

resource "aws_s3_bucket" "bills" {
  count  = var.create_export ? 1 : 0
  bucket = var.bucket
}

resource "aws_s3_bucket_public_access_block" "bills" {
  count                   = var.create_export ? 1 : 0
  bucket                  = aws_s3_bucket.bills[0].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

# AWS writes each month's files anew several times a day; what it overwrote stays for a while.
resource "aws_s3_bucket_versioning" "bills" {
  count  = var.create_export ? 1 : 0
  bucket = aws_s3_bucket.bills[0].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "bills" {
  count  = var.create_export ? 1 : 0
  bucket = aws_s3_bucket.bills[0].id

  rule {
    id     = "overwritten"
    status = "Enabled"

    filter {}

    noncurrent_version_expiration {
      noncurrent_days = 30
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }

  depends_on = [aws_s3_bucket_versioning.bills]
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bills" {
  count  = var.create_export ? 1 : 0
  bucket = aws_s3_bucket.bills[0].id

  rule {
    bucket_key_enabled = var.kms_key_arn != ""

    apply_server_side_encryption_by_default {
      sse_algorithm     = var.kms_key_arn == "" ? "AES256" : "aws:kms"
      kms_master_key_id = var.kms_key_arn == "" ? null : var.kms_key_arn
    }
  }
}

data "aws_iam_policy_document" "delivery" {
  statement {
    sid       = "EncryptedOnTheWay"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = ["arn:aws:s3:::${var.bucket}", "arn:aws:s3:::${var.bucket}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }

  statement {
    sid       = "DataExportsDeliver"
    actions   = ["s3:PutObject", "s3:GetBucketPolicy"]
    resources = ["arn:aws:s3:::${var.bucket}", "arn:aws:s3:::${var.bucket}/*"]

    principals {
      type        = "Service"
      identifiers = ["bcm-data-exports.amazonaws.com", "billingreports.amazonaws.com"]
    }

    condition {
      test     = "StringLike"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }

    condition {
      test     = "StringLike"
      variable = "aws:SourceArn"
      values = [
        "arn:aws:bcm-data-exports:us-east-1:${local.account}:export/*",
        "arn:aws:cur:us-east-1:${local.account}:definition/*",
      ]
    }
  }
}

resource "aws_s3_bucket_policy" "bills" {
  count  = var.create_export ? 1 : 0
  bucket = aws_s3_bucket.bills[0].id
  policy = data.aws_iam_policy_document.delivery.json
}

resource "aws_bcmdataexports_export" "focus" {
  count = var.create_export ? 1 : 0

  export {
    name = "breakeven-focus"

    data_query {
      query_statement = "SELECT ${join(", ", local.columns)} FROM FOCUS_1_2_AWS"
    }

    destination_configurations {
      s3_destination {
        s3_bucket = aws_s3_bucket.bills[0].id
        s3_prefix = var.prefix
        s3_region = aws_s3_bucket.bills[0].region

        s3_output_configurations {
          overwrite   = "OVERWRITE_REPORT"
          format      = "PARQUET"
          compression = "PARQUET"
          output_type = "CUSTOM"
        }
      }
    }

    refresh_cadence {
      frequency = "SYNCHRONOUS"
    }
  }

  # AWS tries to write as soon as the export is there.
  depends_on = [aws_s3_bucket_policy.bills]
}

output "location" {
  description = "For location in breakeven.toml."
  value       = var.create_export ? "s3://${var.bucket}/${var.prefix}/breakeven-focus" : null
}
