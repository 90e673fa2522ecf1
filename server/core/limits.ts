export const KIB = 1024
export const MIB = 1024 * KIB

/** The largest request body of a relay route, after decompression. Images arrive as base64 inside JSON. */
export const RELAY_BODY_BYTES_MAX = 64 * MIB
/** The memory for all request bodies of a process; half of it holds the largest body. */
export const BODY_MEMORY_BYTES = 2 * RELAY_BODY_BYTES_MAX
