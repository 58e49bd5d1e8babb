"""All errors that leave the package carry a code.

Numbers: 1xxx booking, 2xxx money moving, 3xxx papers (invoices, export),
4xxx bikes and locks, 5xxx machinery, 6xxx people and their data. A code is
never reused, also not after its class is gone. The table for operators is
docs/error_codes.csv; tests compare the two.
"""


class SpokeError(Exception):
    code = "SPK-0000"
    http = 500

    def __init__(self, detail="", **facts):
        super().__init__(detail)
        self.detail = detail
        self.facts = facts

    def as_json(self):
        return {"code": self.code, "detail": self.detail, "facts": self.facts}


def _kind(name, code, http):
    return type(name, (SpokeError,), {"code": code, "http": http})


BikeUnavailable = _kind("BikeUnavailable", "SPK-1101", 409)
HoldExpired = _kind("HoldExpired", "SPK-1102", 410)
WindowTooShort = _kind("WindowTooShort", "SPK-1103", 422)
BranchClosed = _kind("BranchClosed", "SPK-1104", 422)
SameBikeTwice = _kind("SameBikeTwice", "SPK-1107", 409)
ExtendTooLate = _kind("ExtendTooLate", "SPK-1110", 409)
BeyondHorizon = _kind("BeyondHorizon", "SPK-1112", 422)
DiscountUnknown = _kind("DiscountUnknown", "SPK-1201", 404)
DiscountUsedUp = _kind("DiscountUsedUp", "SPK-1202", 409)
DiscountNotStackable = _kind("DiscountNotStackable", "SPK-1203", 409)
DiscountOutOfDate = _kind("DiscountOutOfDate", "SPK-1204", 410)

PaymentDeclined = _kind("PaymentDeclined", "SPK-2101", 402)
PaymentTimeout = _kind("PaymentTimeout", "SPK-2102", 504)
DuplicateCapture = _kind("DuplicateCapture", "SPK-2104", 409)
WebhookSignature = _kind("WebhookSignature", "SPK-2107", 401)
DepositExpired = _kind("DepositExpired", "SPK-2110", 410)
RefundExceedsPaid = _kind("RefundExceedsPaid", "SPK-2201", 409)
RefundWindowClosed = _kind("RefundWindowClosed", "SPK-2203", 410)

NumberGap = _kind("NumberGap", "SPK-3101", 500)
InvoiceLocked = _kind("InvoiceLocked", "SPK-3102", 423)
VatRateMissing = _kind("VatRateMissing", "SPK-3105", 500)
RoundingMismatch = _kind("RoundingMismatch", "SPK-3107", 500)
ExportPeriodClosed = _kind("ExportPeriodClosed", "SPK-3201", 423)
ExportAccountMissing = _kind("ExportAccountMissing", "SPK-3202", 500)

BikeUnknown = _kind("BikeUnknown", "SPK-4101", 404)
BikeInService = _kind("BikeInService", "SPK-4102", 409)
LockUnreachable = _kind("LockUnreachable", "SPK-4201", 503)
LockPinRejected = _kind("LockPinRejected", "SPK-4202", 502)
LockBatteryLow = _kind("LockBatteryLow", "SPK-4203", 503)

ConfigKeyMissing = _kind("ConfigKeyMissing", "SPK-5001", 500)
ConfigTypeMismatch = _kind("ConfigTypeMismatch", "SPK-5002", 500)
PoolExhausted = _kind("PoolExhausted", "SPK-5101", 503)
MigrationPending = _kind("MigrationPending", "SPK-5102", 503)
JobStillRunning = _kind("JobStillRunning", "SPK-5201", 409)

SessionExpired = _kind("SessionExpired", "SPK-6001", 401)
RoleMissing = _kind("RoleMissing", "SPK-6002", 403)
ErasureBlocked = _kind("ErasureBlocked", "SPK-6101", 409)
MergeConflict = _kind("MergeConflict", "SPK-6102", 409)
