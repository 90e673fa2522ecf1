export const KIB = 1024
export const MIB = 1024 * KIB

/** The largest body a relay route reads, after decompression. Pictures arrive as base64 inside JSON. */
export const RELAY_BODY_BYTES_MAX = 64 * MIB
/** The largest body a management route reads. */
export const API_BODY_BYTES_MAX = 2 * MIB
