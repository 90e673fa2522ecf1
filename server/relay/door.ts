/** What the door (the http framework's side) knows of a request and hands to the relay. */
export interface Door {
  readonly requestId: string
  /** The client's address; behind a trusted proxy the one it reports. Asked of the system, so only where it matters. */
  readonly clientIp: () => string
  /** The user signed in by cookie, for the playground. Undefined without a session. */
  readonly session: () => Promise<SessionUser | undefined>
  /** Reads the body as text, decompressed. Throws GatewayError `body_too_large` while reading, not after. */
  readonly readText: (bytesMax: number) => Promise<string>
  /** Reads the body as a form. Throws as `readText` does, and `unsupported_media_type` for anything but a form. */
  readonly readForm: (bytesMax: number) => Promise<FormData>
}

export interface SessionUser {
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
}
