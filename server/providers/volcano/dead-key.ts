import type { DeadKeySigns } from '../../provider-kit/openai-compatible/dead-key-signs.ts'

/** A refused key, a debt, and a limit that the account set itself. Source: volcengine.com/docs/82379/1299023 */
export const deadKey: DeadKeySigns = {
  codes: ['AuthenticationError', 'AccountOverdueError', 'SetLimitExceeded'],
}
