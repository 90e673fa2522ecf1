import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatNumber, useMoney } from '../../app/money/money.tsx'
import { hasScreen } from '../../app/router/screens.ts'
import { useText } from '../../ui/text/text.ts'
import { answerRowQuery } from './queries.ts'
import { text } from './text.ts'
import type { Turn } from './turn.ts'

const SECOND_MS = 1000

const secondsOf = (ms: number): string => `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 2 : 1)} s`

/** Who answered, how long it took, what it used and what it cost: the last two from its row in the log. */
export function AnswerFooter({ turn: { facts } }: { readonly turn: Turn }) {
  const t = useText(text)
  const { money, exact, language } = useMoney()
  const requestId = facts?.requestId ?? ''
  const { data: row } = useQuery({ ...answerRowQuery(requestId), enabled: requestId !== '' })
  if (!facts) return null
  return (
    <p className="flex min-h-7 flex-wrap items-center gap-x-3 text-caption text-muted tabular">
      <span className="font-mono">{facts.model}</span>
      {facts.firstMs !== undefined && <span>{t('firstWord', { time: secondsOf(facts.firstMs) })}</span>}
      {facts.totalMs !== undefined && <span>{t('total', { time: secondsOf(facts.totalMs) })}</span>}
      {row && (
        <>
          <span>
            {t('tokens', {
              prompt: formatNumber(row.prompt_tokens, language),
              completion: formatNumber(row.completion_tokens, language),
            })}
          </span>
          <span title={exact(row.quota)} className="font-medium text-fg">
            {t('cost', { amount: money(row.quota) })}
          </span>
        </>
      )}
      {row && hasScreen('/log') && (
        <Link
          to="/log"
          search={{ request: requestId }}
          className="rounded-control text-accent underline-offset-2 touch-target hover:underline"
        >
          {t('openLog')}
        </Link>
      )}
    </p>
  )
}
