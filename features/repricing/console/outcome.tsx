import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { RepriceResult } from '../contract.ts'
import { useRepriceText } from './text.ts'

const ROWS_SHOWN = 20
const PERCENT_DIGITS = 3

interface OutcomeProps {
  readonly result: RepriceResult
  /** Users above it are marked. */
  readonly percent: number
}

/** Revenue before and after, in all and by user, model and group. */
export function RepriceOutcome({ result, percent }: OutcomeProps) {
  const t = useRepriceText()
  const language = useLanguage()
  const { money } = useMoney()
  const { requests, before, after, kept, models, groups, users, user_count, users_above } = result
  if (requests === 0) return <p className="text-muted">{t('empty')}</p>
  const count = (value: number) => formatNumber(value, language)
  const named = users.map(({ id, username, ...sums }) => ({ ...sums, name: username || `#${id}` }))
  return (
    <div className="grid grid-cols-1 gap-4">
      <KeyValues
        items={[
          { label: t('requests'), value: count(requests) },
          { label: t('before'), value: money(before) },
          { label: t('after'), value: money(after) },
          { label: t('difference'), value: <Difference before={before} after={after} /> },
        ]}
      />
      {kept.map(({ reason, requests: left }) => (
        <p key={reason} className="text-small text-muted">
          {t('kept', { count: left, reason: t(reason) })}
        </p>
      ))}
      <p className="text-small">
        {t('usersAbove', { users: count(user_count), above: count(users_above), percent })}
      </p>
      <SumsTable name={t('users')} rows={named} />
      <SumsTable name={t('models')} rows={models} />
      <SumsTable name={t('groups')} rows={groups} />
    </div>
  )
}

interface Sums {
  readonly name: string
  readonly requests: number
  readonly before: number
  readonly after: number
  readonly is_above?: boolean
}

interface SumsTableProps {
  readonly name: string
  /** The largest difference first. */
  readonly rows: readonly Sums[]
}

function SumsTable({ name, rows }: SumsTableProps) {
  const t = useRepriceText()
  const language = useLanguage()
  const { money } = useMoney()
  const heads = [t('requests'), t('before'), t('after'), t('difference')]
  return (
    <div>
      <div className="overflow-x-auto rounded-card border border-line">
        <table aria-label={name} className="w-full text-small tabular">
          <thead className="text-caption text-muted">
            <tr>
              <th scope="col" className="px-3 py-2 text-left font-medium">
                {name}
              </th>
              {heads.map(head => (
                <th key={head} scope="col" className="px-3 py-2 text-right font-medium whitespace-nowrap">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS_SHOWN).map(row => (
              <tr key={row.name} className="border-t border-line">
                <th scope="row" className="max-w-60 px-3 py-2 text-left font-normal">
                  <span className="flex items-center gap-2">
                    <span className="truncate" title={row.name}>
                      {row.name}
                    </span>
                    {row.is_above && (
                      <StatusBadge tone="warning" mark="triangle">
                        {t('above')}
                      </StatusBadge>
                    )}
                  </span>
                </th>
                <td className="px-3 py-2 text-right">{formatNumber(row.requests, language)}</td>
                <td className="px-3 py-2 text-right">{money(row.before)}</td>
                <td className="px-3 py-2 text-right">{money(row.after)}</td>
                <td className="px-3 py-2 text-right whitespace-nowrap">
                  <Difference before={row.before} after={row.after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > ROWS_SHOWN && (
        <p className="mt-1 text-caption text-muted">{t('shown', { count: ROWS_SHOWN })}</p>
      )}
    </div>
  )
}

interface DifferenceProps {
  readonly before: number
  readonly after: number
}

/** `+$1.20 (+12%)`. */
function Difference({ before, after }: DifferenceProps) {
  const { money } = useMoney()
  const more = after - before
  const sign = more > 0 ? '+' : ''
  const percent = before === 0 ? undefined : Number(((more / before) * 100).toPrecision(PERCENT_DIGITS))
  return (
    <>
      {sign}
      {money(more)}
      {percent !== undefined && ` (${sign}${percent}%)`}
    </>
  )
}
