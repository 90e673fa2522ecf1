import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Redemption } from '#contract/billing/redemptions.ts'
import { MoneyText, TimeText } from '../../app/format/format.tsx'
import { SecretCell } from '../../app/preferences/privacy.tsx'
import { useSetSearchParams } from '../../app/router/search-params.ts'
import { type BadgeMark, StatusBadge, type Tone } from '../../ui/data/badges.tsx'
import type { Column } from '../../ui/data/table/column.ts'
import type { Translate } from '../../ui/text/text.ts'
import { type CodeStatus, codeStatus, maskedCode } from './code.ts'
import { RedemptionSearch } from './search-params.ts'
import { type text, useScreenText } from './text.ts'

/** The columns of the code list, headed in the current language. */
export function useCodeColumns(): ReadonlyArray<Column<Redemption>> {
  const t = useScreenText()
  return useMemo(() => codeColumns(t), [t])
}

const codeColumns = (t: Translate<keyof typeof text.zh>): ReadonlyArray<Column<Redemption>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: code => <NameCell code={code} /> },
  { id: 'id', header: t('id'), align: 'end', cell: code => code.id },
  { id: 'key', header: t('key'), cell: code => <KeyCell code={code} /> },
  { id: 'status', header: t('status'), cell: code => <StatusCell code={code} /> },
  { id: 'quota', header: t('quota'), align: 'end', cell: code => <MoneyText quota={code.quota} /> },
  { id: 'created', header: t('created'), cell: code => <TimeText unixSeconds={code.created_time} /> },
  {
    id: 'redeemed',
    header: t('redeemed'),
    cell: code =>
      code.redeemed_time > 0 ? (
        <TimeText unixSeconds={code.redeemed_time} />
      ) : (
        <span className="text-subtle">{t('never')}</span>
      ),
  },
  { id: 'redeemedBy', header: t('redeemedBy'), cell: code => <RedeemerCell code={code} /> },
]

const STATUS_BADGES: Readonly<Record<CodeStatus | 'unknown', readonly [Tone, BadgeMark]>> = {
  unused: ['success', 'filled'],
  disabled: ['neutral', 'hollow'],
  used: ['info', 'filled'],
  unknown: ['unknown', 'none'],
}

const HIDDEN_CODE = '••••••••••••'

interface CodeProps {
  readonly code: Redemption
}

/** The name of the code; opens its sheet. */
export function NameCell({ code }: CodeProps) {
  const set = useSetSearchParams(RedemptionSearch)
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
  const t = useScreenText()
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
  const t = useScreenText()
  const status = codeStatus(code)
  const [tone, mark] = STATUS_BADGES[status]
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(status, { status: code.status })}
    </StatusBadge>
  )
}

/** The user that redeemed the code, linked to its sheet. */
export function RedeemerCell({ code }: CodeProps) {
  const t = useScreenText()
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
