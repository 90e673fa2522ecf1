import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Brain, ChevronRight, Wrench } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { hasScreen } from '#console/app/router/screens.ts'
import { Spinner } from '#console/ui/buttons/buttons.tsx'
import type { ChatMessage, ToolCall } from './chat-message.ts'
import { replyLogQuery } from './queries.ts'
import { useScreenText } from './text.ts'

const SECOND_MS = 1000

interface ReasoningProps {
  readonly source: string
  /** The model is still reasoning: the block stays open until the content starts. */
  readonly isActive: boolean
}

/** The reasoning of the model, collapsed once the content starts. */
export function Reasoning({ source, isActive }: ReasoningProps) {
  const t = useScreenText()
  return (
    <Fold
      key={String(isActive)}
      isOpen={isActive}
      title={
        <>
          <Brain size={15} aria-hidden />
          {t(isActive ? 'reasoningNow' : 'reasoning')}
        </>
      }
    >
      <p className="text-small whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">{source}</p>
    </Fold>
  )
}

/** The tool calls of the model with their arguments. */
export function ToolCalls({ calls }: { readonly calls: readonly ToolCall[] }) {
  const t = useScreenText()
  return calls.map(call => (
    <Fold
      key={call.index}
      isOpen
      title={
        <>
          <Wrench size={15} aria-hidden />
          {t('tool', { name: call.name })}
        </>
      }
    >
      <pre className="overflow-x-auto font-mono text-caption whitespace-pre-wrap">
        {indentJson(call.arguments)}
      </pre>
    </Fold>
  ))
}

/** Indents JSON. Incomplete JSON, as in a reply that still streams, stays as it is. */
function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2)
  } catch {
    return json
  }
}

interface FoldProps {
  readonly isOpen: boolean
  readonly title: ReactNode
  readonly children: ReactNode
}

const Fold = ({ isOpen, title, children }: FoldProps) => (
  <details open={isOpen} className="group/fold rounded-card border border-line bg-surface">
    <summary className="flex min-h-9 list-none items-center gap-2 px-3 text-small font-medium text-muted select-none hover:text-fg coarse:min-h-11">
      <ChevronRight size={15} aria-hidden className="transition-transform group-open/fold:rotate-90" />
      {title}
    </summary>
    <div className="border-t border-line px-3 py-2.5">{children}</div>
  </details>
)

/** From this wait on, the elapsed time is displayed. */
const LONG_WAIT_SECONDS = 10

/** The state of a reply before its first token. */
export function ReplyPending() {
  const t = useScreenText()
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setSeconds(seconds + 1), SECOND_MS)
    return () => clearTimeout(timer)
  }, [seconds])
  return (
    <p className="flex items-center gap-2 text-muted">
      <Spinner />
      {seconds < LONG_WAIT_SECONDS ? t('loading') : t('loadingSeconds', { count: seconds })}
    </p>
  )
}

const formatSeconds = (ms: number): string => `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 2 : 1)} s`

/** Model, timing, tokens and cost of a reply. Tokens and cost come from its log entry. */
export function ReplyFooter({ message: { facts } }: { readonly message: ChatMessage }) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const requestId = facts?.requestId ?? ''
  const { data: row } = useQuery({ ...replyLogQuery(requestId), enabled: requestId !== '' })
  if (!facts) return null
  return (
    <p className="flex min-h-7 flex-wrap items-center gap-x-3 text-caption text-muted tabular">
      <span className="font-mono">{facts.model}</span>
      {facts.firstMs !== undefined && <span>{t('firstToken', { time: formatSeconds(facts.firstMs) })}</span>}
      {facts.totalMs !== undefined && <span>{t('total', { time: formatSeconds(facts.totalMs) })}</span>}
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
