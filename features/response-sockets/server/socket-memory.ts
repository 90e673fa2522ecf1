import { MIB } from '#server/core/limits.ts'

/** Characters that all sockets of this process, and those of one user, may keep. */
const CHARS_MAX = 256 * MIB
const CHARS_PER_USER_MAX = 48 * MIB

/** The memory for conversations that are kept between turns. */
export class SocketMemory {
  private readonly charsByUser = new Map<number, number>()
  private chars = 0

  /** Returns false when so much is not left for the user. */
  take(userId: number, chars: number): boolean {
    const ofUser = (this.charsByUser.get(userId) ?? 0) + chars
    if (ofUser > CHARS_PER_USER_MAX || this.chars + chars > CHARS_MAX) return false
    this.charsByUser.set(userId, ofUser)
    this.chars += chars
    return true
  }

  give(userId: number, chars: number): void {
    const left = (this.charsByUser.get(userId) ?? 0) - chars
    this.chars -= chars
    if (left > 0) this.charsByUser.set(userId, left)
    else this.charsByUser.delete(userId)
  }
}
