import { GatewayError } from '../../core/errors.ts'
import type { BodyAllocation } from './body-memory.ts'
import type { BodyLimits, ClientConnection } from './client-connection.ts'

export interface DetachedRequest {
  readonly requestId: string
  readonly url: URL
  readonly clientIp: string
  /** The body, which is already here. */
  readonly text: string
  /** From which the body has been taken. */
  readonly memory: BodyAllocation
  readonly isBackground?: true
}

/** A request without a connection of its own: a turn of a socket, or a response in the background. */
export class DetachedConnection implements ClientConnection {
  readonly requestId: string
  readonly url: URL
  readonly hasSocket = false
  readonly isBackground: boolean
  private readonly ip: string
  private readonly memory: BodyAllocation
  private text: string

  constructor(request: DetachedRequest) {
    this.ip = request.clientIp
    this.text = request.text
    this.memory = request.memory
    this.requestId = request.requestId
    this.url = request.url
    this.isBackground = request.isBackground === true
  }

  clientIp = (): string => this.ip
  /** Such requests have API keys. */
  session = async (): Promise<undefined> => undefined
  readForm = async (): Promise<[]> => []
  switchToSocket = (): undefined => undefined
  takeMemory = (bytes: number): void => this.memory.take(bytes)
  takenBytes = (): number => this.memory.takenBytes()
  openMemory = (): BodyAllocation => this.memory
  /** Call this when the response is ready: the relay has dropped the body by then. */
  releaseMemory = (): void => this.memory.release()
  disableIdleTimeout = (): void => undefined
  startStreaming = () => () => undefined

  async readText({ bytesMax }: BodyLimits, onPiece: (piece: string) => void): Promise<void> {
    const { text } = this
    // It is read once, and the connection lasts as long as the response.
    this.text = ''
    if (text.length > bytesMax)
      throw new GatewayError('body_too_large', {
        zh: `请求超过 ${bytesMax} 字节`,
        en: `the request is larger than ${bytesMax} bytes`,
      })
    onPiece(text)
  }
}
