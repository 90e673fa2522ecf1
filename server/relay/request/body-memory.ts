import { GatewayError } from '../../core/errors.ts'
import { KIB } from '../../core/limits.ts'

/** Bodies up to this size are admitted as long as any memory is left. */
const SMALL_BODY_BYTES_MAX = 256 * KIB
/** The share of the memory that larger bodies may fill, so that a flood of them leaves room for ordinary requests. */
const LARGE_BODIES_SHARE = 5 / 8
/** The share of the memory that the larger bodies of one sender may fill. */
const SENDER_SHARE = 1 / 2
const RETRY_AFTER_SECONDS = 2

/** The memory of all request bodies that this process reads or still works on, counted after decompression. */
export interface BodyMemory {
  /** Opens the account of one body. `sender` identifies who sends it: a user, or a network. */
  open(sender: string): BodyAllocation
}

/** The memory of one body. */
export interface BodyAllocation {
  /** Adds bytes. Throws GatewayError `server_busy` when there is no memory left for them. */
  take(bytes: number): void
  /** The bytes that were taken and not returned. */
  takenBytes(): number
  /** Returns all bytes. Further calls have no effect. */
  release(): void
}

export function createBodyMemory(bytesMax: number): BodyMemory {
  let usedBytes = 0
  const bytesBySender = new Map<string, number>()

  const open = (sender: string): BodyAllocation => {
    let takenBytes = 0
    const isAdmitted = (bytes: number): boolean => {
      if (takenBytes + bytes <= SMALL_BODY_BYTES_MAX) return usedBytes + bytes <= bytesMax
      const bytesOfSender = (bytesBySender.get(sender) ?? 0) + bytes
      return bytesOfSender <= bytesMax * SENDER_SHARE && usedBytes + bytes <= bytesMax * LARGE_BODIES_SHARE
    }
    const add = (bytes: number): void => {
      takenBytes += bytes
      usedBytes += bytes
      const bytesOfSender = (bytesBySender.get(sender) ?? 0) + bytes
      if (bytesOfSender === 0) bytesBySender.delete(sender)
      else bytesBySender.set(sender, bytesOfSender)
    }
    const release = () => add(-takenBytes)
    return {
      take(bytes) {
        if (isAdmitted(bytes)) return add(bytes)
        // At once, so that of many bodies that arrive together some are completed.
        release()
        throw outOfMemory()
      },
      takenBytes: () => takenBytes,
      release,
    }
  }
  return { open }
}

const outOfMemory = (): GatewayError =>
  new GatewayError(
    'server_busy',
    {
      zh: '正在处理的大请求体过多，请稍后重试',
      en: 'too many large request bodies are in progress; try again in a moment',
    },
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
