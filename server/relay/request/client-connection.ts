/** What the door (the http framework's side) knows of a request and hands to the relay. */
export interface ClientConnection {
  readonly requestId: string
  /** The client's address; behind a trusted proxy the one it reports. Asked of the system, so only where it matters. */
  clientIp(): string
  /** The user signed in by cookie, for the playground. Undefined without a session. */
  session(): Promise<SessionUser | undefined>
  /** Reads the body as text, decompressed. Throws GatewayError `body_too_large` while reading, not after. */
  readText(bytesMax: number): Promise<string>
  /** Makes the connection a websocket and gives what is to be answered then. Undefined where the client asks for none. */
  switchToSocket(listener: SocketListener): Response | undefined
  /** Reads the body as a form. Throws as `readText` does, and `unsupported_media_type` for anything but a form. */
  readForm(bytesMax: number): Promise<FormData>
  /** All was read, and nothing may happen for as long as it takes until an answer is given. Before, silence ends it. */
  disableIdleTimeout(): void
  /** The answer goes on after it was given. Gives what is to be called with its last bytes. */
  startStreaming(): () => void
}

/** The client's end of a websocket. */
export interface ClientSocket {
  send(frame: WebSocketFrame): void
  close(code: number, reason: string): void
}

/** Text, or bytes as they came. */
export type WebSocketFrame = string | Uint8Array<ArrayBuffer>

/** What is told of a client's websocket. */
export interface SocketListener {
  /** The sub-protocol to agree on; undefined where the client offered none. */
  readonly protocol: string | undefined
  onOpen(socket: ClientSocket): void
  onMessage(frame: WebSocketFrame): void
  /** Resolves once all that was used is charged. A second call changes nothing. */
  onClose(): Promise<void>
}

export interface SessionUser {
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
}
