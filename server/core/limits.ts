export const KIB = 1024
export const MIB = 1024 * KIB

/** The largest request body of a relay route, after decompression. Images arrive as base64 inside JSON. */
export const RELAY_BODY_BYTES_MAX = 64 * MIB
/** The largest request body of a management API route. */
export const API_BODY_BYTES_MAX = 2 * MIB
