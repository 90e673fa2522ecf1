import type { Token } from '#contract/tokens.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { SecretCell } from '../../app/secret-cell.tsx'
import { nowSeconds } from '../../app/time.ts'
import { useSetUrlState } from '../../app/url-state.ts'
import { useMoney } from '../../app/use-money.ts'
import { Meter } from '../../ui/meter.tsx'
import { type BadgeMark, StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { TokenSearch } from './search.ts'
import { text } from './text.ts'
import { fullKey, maskedKey, modelsOf, stateOf, type TokenState } from './token-state.ts'

const BADGES: Readonly<Record<TokenState, readonly [Tone, BadgeMark]>> = {
  enabled: ['success', 'filled'],
  enabledLimited: ['success', 'filled'],
  disabled: ['neutral', 'hollow'],
  expired: ['warning', 'clock'],
  exhausted: ['danger', 'cross'],
  unknown: ['unknown', 'none'],
}

const MASKED_KEY = 'sk-••••••••••'

interface TokenProps {
  readonly token: Token
}

/** The name opens the sheet. */
export function NameCell({ token }: TokenProps) {
  const set = useSetUrlState(TokenSearch)
  return (
    <button
      type="button"
      onClick={() => set({ edit: String(token.id) }, { push: true })}
      className="block max-w-56 truncate rounded-control text-left font-medium hover:text-accent hover:underline underline-offset-2"
      title={token.name}
    >
      {token.name}
    </button>
  )
}

export function StatusCell({ token }: TokenProps) {
  const t = useText(text)
  const state = stateOf(token, nowSeconds())
  const [tone, mark] = BADGES[state]
  const models = modelsOf(token).join(', ')
  return (
    <StatusBadge tone={tone} mark={mark} {...(state === 'enabledLimited' ? { reason: models } : {})}>
      {state === 'unknown' ? t('unknown', { status: token.status }) : t(state)}
    </StatusBadge>
  )
}

/** The key behind a mask, with reveal and copy. */
export function KeyCell({ token }: TokenProps) {
  const t = useText(text)
  const { name } = token
  return (
    <SecretCell
      secret={fullKey(token)}
      masked={maskedKey(token)}
      hidden={MASKED_KEY}
      labels={{ show: t('showKey', { name }), hide: t('hideKey', { name }), copy: t('copyKey', { name }) }}
    />
  )
}

/** What is left of the token's own limit, and how much of it is used. */
export function RemainingCell({ token }: TokenProps) {
  const t = useText(text)
  const { money } = useMoney()
  if (token.unlimited_quota) return <span className="text-muted">{t('unlimited')}</span>
  const limit = token.used_quota + token.remain_quota
  const share = limit === 0 ? 0 : token.used_quota / limit
  return (
    <span className="inline-grid min-w-20 gap-1 sm:justify-items-end">
      <MoneyText quota={token.remain_quota} />
      <Meter
        label={t('used')}
        share={share}
        text={t('usedOf', { used: money(token.used_quota), limit: money(limit) })}
      />
    </span>
  )
}
