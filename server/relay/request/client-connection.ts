import type { WebSocketFrame } from '../../http-client/websocket.ts'
import type { BodyAllocation } from './body-memory.ts'

/** The HTTP side of one client call: the parts of the connection that the relay may use. */
export interface ClientConnection {
  readonly requestId: string
  /** The response goes to a client's socket. Otherwise this program reads it. */
  readonly hasSocket: boolean
  /** The request was admitted before, and now runs without its client. */
  readonly isBackground?: boolean
  /** The request URL; its host is meaningless, since clients may send any. */
  readonly url: URL
  /** The client's address; behind a trusted proxy, the one that the proxy reports. Costs a system call. */
  clientIp(): string
  /** The user of the session cookie. Undefined without a valid session. */
  session(): Promise<SessionUser | undefined>
  /**
   * Reads and decompresses the body as text, which `onPiece` receives as it arrives. Throws GatewayError
   * `body_too_large` as soon as the limit is passed, `server_busy` when the bodies in progress leave no memory for it, and
   * what `onPiece` throws.
   */
  readText(limits: BodyLimits, onPiece: (piece: string) => void): Promise<void>
  /** Reads the body as a form. Throws as `readText` does, and `unsupported_media_type` for any other body. */
  readForm(limits: BodyLimits): Promise<readonly FormField[]>
  /** Adds to the body what it refers to. Throws GatewayError `server_busy` when there is no memory for it. */
  takeMemory(bytes: number, sender: string): void
  /** What the body and that took. */
  takenBytes(): number
  /** Opens an account in the memory for bodies, for what outlasts the request. Its owner releases it. */
  openMemory(sender: string): BodyAllocation
  /** Upgrades the connection to a websocket. Undefined when the client did not request an upgrade. */
  switchToSocket(listener: SocketListener): Response | undefined
  /** Turns the idle timeout off while the model works. Call it once the body is read. */
  disableIdleTimeout(): void
  /** Marks the response as a stream. Returns the function to call after its last byte. */
  startStreaming(): () => void
  /** Keeps the memory of the body beyond the beginning of the response. Returns the function that releases it. */
  keepBody?(): () => void
}

export interface BodyLimits {
  /** After decompression. */
  readonly bytesMax: number
  /** Identifies the sender, who may use only a part of the memory for bodies. */
  readonly sender: string
}

/** A field of a form, in the order in which it was sent. */
export interface FormField {
  readonly name: string
  readonly value: string | UploadedFile
}

export interface UploadedFile {
  readonly name: string
  /** The client's declaration. Empty when there is none. */
  readonly mediaType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The client's end of a websocket. */
export interface ClientSocket {
  send(frame: WebSocketFrame): void
  /** Resolves when the client has taken most of the sent bytes, or is gone. */
  drained(): Promise<void>
  close(code: number, reason: string): void
}

/** Handles the events of a client's websocket. */
export interface SocketListener {
  /** The sub-protocol to accept; undefined when the client offered none that is supported. */
  readonly protocol: string | undefined
  onOpen(socket: ClientSocket): void
  onMessage(frame: WebSocketFrame): void
  /** Resolves once all usage is charged. Further calls have no effect. */
  onClose(): Promise<void>
}

export interface SessionUser {
  readonly sessionHash: string
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
  readonly walletUnits: number
  readonly isBounded?: boolean
}
