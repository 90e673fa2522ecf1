import { Link } from '@tanstack/react-router'
import type { Redemption } from '#contract/redemptions.ts'
import { SecretCell } from '../../app/secret-cell.tsx'
import { useSetUrlState } from '../../app/url-state.ts'
import { type BadgeMark, StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { type CodeState, maskedCode, stateOf } from './code-state.ts'
import { RedemptionSearch } from './search.ts'
import { text } from './text.ts'

const BADGES: Readonly<Record<CodeState | 'unknown', readonly [Tone, BadgeMark]>> = {
  unused: ['success', 'filled'],
  disabled: ['neutral', 'hollow'],
  used: ['info', 'filled'],
  unknown: ['unknown', 'none'],
}

const HIDDEN_CODE = '••••••••••••'

interface CodeProps {
  readonly code: Redemption
}

/** The name opens the sheet. */
export function NameCell({ code }: CodeProps) {
  const set = useSetUrlState(RedemptionSearch)
  return (
    <button
      type="button"
      onClick={() => set({ edit: String(code.id) }, { push: true })}
      className="block max-w-56 truncate touch-line rounded-control text-left font-medium hover:text-accent hover:underline underline-offset-2"
    >
      {code.name}
    </button>
  )
}

export function KeyCell({ code }: CodeProps) {
  const t = useText(text)
  const { name } = code
  return (
    <SecretCell
      secret={code.key}
      masked={maskedCode(code)}
      hidden={HIDDEN_CODE}
      labels={{ show: t('showKey', { name }), hide: t('hideKey', { name }), copy: t('copyKey', { name }) }}
    />
  )
}

export function StatusCell({ code }: CodeProps) {
  const t = useText(text)
  const state = stateOf(code)
  const [tone, mark] = BADGES[state]
  return (
    <StatusBadge tone={tone} mark={mark}>
      {state === 'unknown' ? t('unknown', { status: code.status }) : t(state)}
    </StatusBadge>
  )
}

/** Who redeemed it, with the way to that user. */
export function RedeemerCell({ code }: CodeProps) {
  const t = useText(text)
  const id = code.used_user_id
  if (id === 0) return <span className="text-subtle">{t('nobody')}</span>
  return (
    <Link
      to={`/user/edit/${id}`}
      aria-label={t('openUser', { id })}
      className="inline-block touch-line rounded-control text-accent tabular hover:underline underline-offset-2"
    >
      {`#${id}`}
    </Link>
  )
}
