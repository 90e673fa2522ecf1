/** What is known of a request before its path is served. */
export interface RequestMetadata {
  readonly requestId: string
  readonly clientIp: string
  /** The network by which failed sign-ins are counted. */
  readonly network: string
  /** The client uses https. */
  readonly isSecure: boolean
  /** The path below which the client reaches the gateway, such as `/gw`; empty at the root of a host. */
  readonly basePath: string
}

/** A request to a path that is neither of the management API nor of the relay. */
export interface PlainRequest extends RequestMetadata {
  /** Without its body, which `readText` alone reads. */
  readonly request: Pick<Request, 'method' | 'url' | 'headers'>
  /**
   * The body as text, decompressed. Throws GatewayError `body_too_large`, `server_busy`, `unsupported_media_type` and
   * `invalid_request`.
   */
  readText(bytesMax: number): Promise<string>
}

/** A path with a format of its own, such as those of OAuth. Its responses get the headers of all others. */
export interface PlainRoute {
  /** Absent: every method. */
  readonly method?: 'GET' | 'POST'
  /** With `/*` at its end: every path below. */
  readonly path: string
  /** Undefined: nothing is served there now. */
  respond(request: PlainRequest): Promise<Response | undefined>
}
