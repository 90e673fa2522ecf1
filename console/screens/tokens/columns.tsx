import { useMemo } from 'react'
import type { Token } from '#contract/tokens.ts'
import { MoneyText, nowSeconds, TimeText, useMoney } from '../../app/format/format.tsx'
import { SecretCell } from '../../app/preferences/privacy.tsx'
import { useSetSearchParams } from '../../app/router/search-params.ts'
import { type BadgeMark, StatusBadge, Tag, type Tone } from '../../ui/data/badges.tsx'
import type { Column } from '../../ui/data/table/column.ts'
import { Meter } from '../../ui/feedback/feedback.tsx'
import type { useText } from '../../ui/text/text.ts'
import { TokenSearch } from './search-params.ts'
import { type text, useScreenText } from './text.ts'
import { allowedModels, fullKey, maskedKey, NEVER, type TokenStatus, tokenStatus } from './token.ts'

/** The columns of the token list, headed in the current language. */
export function useTokenColumns(): ReadonlyArray<Column<Token>> {
  const t = useScreenText()
  return useMemo(() => tokenColumns(t), [t])
}

type TokenTranslate = ReturnType<typeof useText<keyof typeof text.zh>>

const tokenColumns = (t: TokenTranslate): ReadonlyArray<Column<Token>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: token => <NameCell token={token} /> },
  { id: 'key', header: t('key'), cell: token => <KeyCell token={token} /> },
  { id: 'status', header: t('status'), cell: token => <StatusCell token={token} /> },
  {
    id: 'group',
    header: t('group'),
    cell: token =>
      token.group === '' ? (
        <span className="text-subtle">{t('ownGroup')}</span>
      ) : (
        <Tag hasSwatch>{token.group}</Tag>
      ),
  },
  { id: 'used', header: t('used'), align: 'end', cell: token => <MoneyText quota={token.used_quota} /> },
  { id: 'remaining', header: t('remaining'), align: 'end', cell: token => <RemainingCell token={token} /> },
  {
    id: 'expires',
    header: t('expired_time'),
    cell: token =>
      token.expired_time === NEVER ? t('never') : <TimeText unixSeconds={token.expired_time} />,
  },
  { id: 'created', header: t('created'), cell: token => <TimeText unixSeconds={token.created_time} /> },
  {
    id: 'lastUsed',
    header: t('lastUsed'),
    isExtra: true,
    cell: token =>
      token.accessed_time > token.created_time ? (
        <TimeText unixSeconds={token.accessed_time} />
      ) : (
        t('neverUsed')
      ),
  },
  {
    id: 'models',
    header: t('models'),
    isExtra: true,
    cell: token =>
      token.model_limits_enabled ? t('modelCount', { count: allowedModels(token).length }) : t('anyModel'),
  },
]

const STATUS_BADGES: Readonly<Record<TokenStatus, readonly [Tone, BadgeMark]>> = {
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

/** The name of the token; opens its sheet. */
export function NameCell({ token }: TokenProps) {
  const set = useSetSearchParams(TokenSearch)
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
  const t = useScreenText()
  const status = tokenStatus(token, nowSeconds())
  const [tone, mark] = STATUS_BADGES[status]
  const models = allowedModels(token).join(', ')
  return (
    <StatusBadge tone={tone} mark={mark} {...(status === 'enabledLimited' ? { reason: models } : {})}>
      {t(status, { status: token.status })}
    </StatusBadge>
  )
}

/** The masked key, with buttons to reveal and copy it. */
export function KeyCell({ token }: TokenProps) {
  const t = useScreenText()
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

/** The remaining quota of the token, and a meter of the used share. */
export function RemainingCell({ token }: TokenProps) {
  const t = useScreenText()
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
