import type { ReactNode } from 'react'
import { call, errorText } from '#console/app/api/call.ts'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { ModelLink, RecordLink } from '#console/app/list/record-link.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { Tag } from '#console/ui/data/badges.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { LOG_TYPE } from '#contract/enums.ts'
import type { LogDetail } from '../../contract/log-detail.ts'
import type { LogEntry } from '../../contract/logs.ts'
import { createReceiptLink, createSelfReceiptLink } from '../../contract/receipt-links.ts'
import { ChannelName, TokenName, UserName } from '../cells.tsx'
import {
  formatSeconds,
  isFailed,
  isRequest,
  type Row,
  readTiming,
  roundForDisplay,
  type Timing,
  toCurl,
  unitsPerMillion,
} from '../entry.ts'
import { LogSearch } from '../search-params.ts'
import { includeError } from '../view.ts'
import { Remedies } from './remedies.tsx'
import { useSheetText } from './text.ts'

interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** The request, its caller and its outcome. */
export function OverviewSection({ row }: { readonly row: Row }) {
  const t = useSheetText()
  const { entry, detail } = row
  const status = useStatus()
  const isAdmin = hasRole(useUser(), 'admin')
  const language = useLanguage()
  const { count = 1 } = detail
  const isFailure = isFailed(entry)
  return (
    <>
      {isFailure && (
        <Banner tone="danger">
          {entry.content || t('noFailureReason')}
          {detail.error && (
            <RecordLink
              name={`${detail.error.status} · ${detail.error.code}`}
              schema={LogSearch}
              open={{ ...includeError(`${detail.error.status} ${detail.error.code}`), row: '' }}
              className="max-w-full font-mono text-caption underline"
            />
          )}
          {count > 1 && (
            <span className="block">{t('standsFor', { count: formatNumber(count, language) })}</span>
          )}
          <Remedies row={row} />
        </Banner>
      )}
      {!isFailure && entry.content !== '' && (
        <p className="text-small [overflow-wrap:anywhere]">{entry.content}</p>
      )}
      <KeyValues items={useFacts(row)} />
      {isRequest(entry) && <TimingBars timing={readTiming(entry, detail)} />}
      <div className="flex flex-wrap gap-2">
        <CopyButton text={() => rowLink(entry)} label={t('copyLink')} buttonText={t('copyLink')} />
        {entry.type === LOG_TYPE.consumption && (
          <CopyButton
            text={() => receiptLink(entry, isAdmin, serverAddress(status))}
            label={t('copyReceipt')}
            buttonText={t('copyReceipt')}
          />
        )}
        {isRequest(entry) && (
          <CopyButton
            text={() => toCurl(entry, serverAddress(status))}
            label={t('copyCurl')}
            buttonText={t('copyCurl')}
          />
        )}
      </div>
    </>
  )
}

/** The address of the receipt, for anybody. Undefined after an error, which is shown. */
async function receiptLink({ id }: LogEntry, isAdmin: boolean, address: string): Promise<string | undefined> {
  try {
    const { link } = await call(isAdmin ? createReceiptLink : createSelfReceiptLink, { params: { id } })
    return `${address}/receipt?link=${link}`
  } catch (error) {
    toast('error', errorText(error))
    return undefined
  }
}

/** The current URL with the entry opened in the sheet. */
function rowLink({ id }: LogEntry): string {
  const url = new URL(window.location.href)
  url.searchParams.set('row', String(id))
  return url.href
}

function useFacts({ entry, detail }: Row): Fact[] {
  const t = useSheetText()
  const { money, language } = useMoney()
  const perMillion = unitsPerMillion(entry)
  const { tokensPerSecond } = readTiming(entry, detail)
  const { ending = 'complete' } = detail
  const facts: ReadonlyArray<readonly [string, ReactNode]> = [
    [t('requested'), entry.model_name && <ModelLink model={entry.model_name} className={MONO} />],
    [t('upstream'), detail.upstream_model_name && <Mono>{detail.upstream_model_name}</Mono>],
    [t('token'), entry.token_name && <TokenName entry={entry} />],
    [t('group'), entry.group && <Tag hasSwatch>{entry.group}</Tag>],
    [t('user'), entry.username && <UserName entry={entry} />],
    [t('channel'), entry.channel > 0 && <ChannelName entry={entry} />],
    [t('responseMode'), isRequest(entry) && t(entry.is_stream ? 'streamed' : 'notStreamed')],
    [t('ending'), ending !== 'complete' && t(endingTextKey(ending), { ending })],
    [t('tags'), tagLinks(entry)],
    [t('effort'), detail.reasoning_effort],
    [
      t('replacedModel'),
      detail.bends?.map(bend => (
        <span key={`${bend.budget} ${bend.from}`} className="block">
          <Mono>{bend.from === bend.to ? bend.to : `${bend.from} → ${bend.to}`}</Mono>
          {bend.effort && (
            <span className="block">
              {t('loweredEffort', { from: bend.effort.from ?? '–', to: bend.effort.to })}
            </span>
          )}
          <span className="block text-small text-muted">
            {t('replacedBy', { budget: bend.budget, percent: String(bend.percent) })}
            {bend.saved !== undefined &&
              bend.from !== bend.to &&
              ` ${t('savedBy', { amount: money(bend.amount ?? 0), saved: money(bend.saved) })}`}
          </span>
        </span>
      )),
    ],
    [t('droppedTools'), detail.dropped_tools?.join(', ')],
    [t('adjusted'), detail.adjusted?.join(', ')],
    ...tokenCounts(detail).map(([textKey, tokens]) => [t(textKey), formatNumber(tokens, language)] as const),
    [
      t('speed'),
      tokensPerSecond !== undefined &&
        t('perSecond', { count: formatNumber(roundForDisplay(tokensPerSecond), language) }),
    ],
    [t('perMillion'), perMillion !== undefined && money(perMillion)],
    [
      t('requestId'),
      entry.request_id && (
        <span className="flex items-center gap-1">
          <Mono>{entry.request_id}</Mono>
          <CopyButton text={entry.request_id} label={t('copyRequestId')} />
        </span>
      ),
    ],
  ]
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}

/** The tags of the request, each with a link to all requests that have it. Undefined without any. */
function tagLinks({ tags = {} }: LogEntry): ReactNode {
  const all = Object.entries(tags).map(([key, value]) => `${key}=${value}`)
  if (all.length === 0) return undefined
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {all.map(tag => (
        <RecordLink key={tag} name={tag} schema={LogSearch} open={{ tag, row: '' }} className={MONO} />
      ))}
    </span>
  )
}

/** The tokens of each kind that the upstream reported, such as cached or audio tokens. */
const tokenCounts = (detail: LogDetail) =>
  (
    [
      ['cachedInput', detail.cache_tokens],
      ['cacheWrite', detail.cache_creation_tokens],
      ['textInput', detail.text_input],
      ['textOutput', detail.text_output],
      ['audioInput', detail.audio_input],
      ['audioOutput', detail.audio_output],
      ['imageInput', detail.image_input],
      ['imageOutput', detail.image_output],
      ['reasoning', detail.reasoning_tokens],
    ] as const
  ).flatMap(([textKey, tokens = 0]) => (tokens > 0 ? [[textKey, tokens] as const] : []))

const MONO = 'font-mono text-caption [overflow-wrap:anywhere]'

const Mono = ({ children }: { readonly children: string }) => <span className={MONO}>{children}</span>

const ENDING_TEXT_KEYS = {
  'client-left': 'clientDisconnected',
  'upstream-broke': 'upstreamDisconnected',
  'quota-spent': 'quotaExhausted',
  'access-ended': 'accessEnded',
  'storage-failed': 'storageFailed',
  failed: 'failed',
  rejected: 'rejection',
} as const

type EndingTextKey = (typeof ENDING_TEXT_KEYS)[keyof typeof ENDING_TEXT_KEYS] | 'otherEnding'

const endingTextKeys = new Map<string, EndingTextKey>(Object.entries(ENDING_TEXT_KEYS))

/** The text key of how a response ended. An ending that the console does not know appears under its API name. */
const endingTextKey = (ending: string): EndingTextKey => endingTextKeys.get(ending) ?? 'otherEnding'

/** Time to the first token and total time, drawn to the same scale. */
function TimingBars({ timing }: { readonly timing: Timing }) {
  const t = useSheetText()
  const { totalMs, firstTokenMs } = timing
  const bars = [
    ...(firstTokenMs === undefined
      ? []
      : [{ label: t('firstToken'), ms: firstTokenMs, colour: 'bg-series-8' }]),
    { label: t('totalTime'), ms: totalMs, colour: 'bg-primary' },
  ]
  return (
    <dl className="grid grid-cols-[minmax(5rem,max-content)_1fr_max-content] items-center gap-x-3 gap-y-1.5 text-small">
      {bars.map(({ label, ms, colour }) => (
        <div key={label} className="col-span-3 grid grid-cols-subgrid items-center">
          <dt className="text-muted">{label}</dt>
          <dd aria-hidden className="h-2 rounded-full bg-neutral-bg">
            <span
              className={classes('block h-full min-w-0.5 rounded-full', colour)}
              style={{ width: `${totalMs > 0 ? (ms / totalMs) * 100 : 0}%` }}
            />
          </dd>
          <dd className="text-right tabular">{t('seconds', { seconds: formatSeconds(ms) })}</dd>
        </div>
      ))}
    </dl>
  )
}
