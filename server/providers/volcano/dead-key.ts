import type { RevokedKeySigns } from '../../provider-kit/failures.ts'

/** A refused key, a debt, and a limit that the account set itself. Source: volcengine.com/docs/82379/1299023 */
export const revokedKey: RevokedKeySigns = {
  codes: ['AuthenticationError', 'AccountOverdueError', 'SetLimitExceeded'],
}
