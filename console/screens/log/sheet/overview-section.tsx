import type { ReactNode } from 'react'
import type { LogDetail, LogEntry } from '#contract/logs/logs.ts'
import { useIsMasked } from '../../../app/preferences/privacy.tsx'
import { formatNumber, maskedMoney, useMoney } from '../../../app/money/money.tsx'
import { serverAddress, useStatus } from '../../../app/api/status.ts'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { CopyButton } from '../../../ui/buttons/copy-button.tsx'
import { KeyValues } from '../../../ui/data/facts.tsx'
import { Tag } from '../../../ui/data/badges.tsx'
import { useText } from '../../../ui/text/text.ts'
import { toCurl } from '../curl.ts'
import { roundForDisplay, readTiming, unitsPerMillion } from '../detail.ts'
import { isRequest, LOG_TYPE } from '../log-state.ts'
import type { Row } from '../row.ts'
import { text } from '../text.ts'
import { endingTextKey } from './ending-word.ts'
import { TimingBars } from './timing-bars.tsx'

interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** What was asked by whom, and how it went. */
export function OverviewSection({ row }: { readonly row: Row }) {
  const t = useText(text)
  const { entry, detail } = row
  const status = useStatus()
  const isFailure = entry.type === LOG_TYPE.failure
  return (
    <>
      {isFailure && (
        <Banner tone="danger">
          {entry.content || t('failedSilently')}
          {detail.error && (
            <span className="block font-mono text-caption">
              {detail.error.status} · {detail.error.code}
            </span>
          )}
        </Banner>
      )}
      {!isFailure && entry.content !== '' && (
        <p className="text-small [overflow-wrap:anywhere]">{entry.content}</p>
      )}
      <KeyValues items={useFacts(row)} />
      {isRequest(entry) && <TimingBars timing={readTiming(entry, detail)} />}
      <div className="flex flex-wrap gap-2">
        <CopyButton text={() => linkTo(entry)} label={t('copyLink')} words={t('copyLink')} />
        {isRequest(entry) && (
          <CopyButton
            text={() => toCurl(entry, serverAddress(status))}
            label={t('copyCurl')}
            words={t('copyCurl')}
          />
        )}
      </div>
    </>
  )
}

/** The page as it is, with the row open. */
function linkTo({ id }: LogEntry): string {
  const address = new URL(window.location.href)
  address.searchParams.set('row', String(id))
  return address.href
}

function useFacts({ entry, detail }: Row): Fact[] {
  const t = useText(text)
  const { money, language } = useMoney()
  const isMasked = useIsMasked()
  const perMillion = unitsPerMillion(entry)
  const { tokensPerSecond } = readTiming(entry, detail)
  const { ending = 'complete' } = detail
  const facts: ReadonlyArray<readonly [string, ReactNode]> = [
    [t('requested'), entry.model_name && <Mono>{entry.model_name}</Mono>],
    [t('upstream'), detail.upstream_model_name && <Mono>{detail.upstream_model_name}</Mono>],
    [t('token'), entry.token_name],
    [t('group'), entry.group && <Tag hasSwatch>{entry.group}</Tag>],
    [t('user'), isMasked ? entry.username && maskedMoney() : entry.username],
    [t('channel'), entry.channel > 0 && `${entry.channel_name} #${entry.channel}`],
    [t('answerForm'), isRequest(entry) && t(entry.is_stream ? 'streamed' : 'whole')],
    [t('ending'), ending !== 'complete' && t(endingTextKey(ending), { ending })],
    [t('effort'), detail.reasoning_effort],
    ...kindsOfTokens(detail).map(([word, tokens]) => [t(word), formatNumber(tokens, language)] as const),
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

/** What went in and out besides plain text, as far as it was counted. */
const kindsOfTokens = (detail: LogDetail) =>
  (
    [
      ['cachedInput', detail.cache_tokens],
      ['cacheWrite', detail.cache_creation_tokens],
      ['textInput', detail.text_input],
      ['textOutput', detail.text_output],
      ['audioInput', detail.audio_input],
      ['audioOutput', detail.audio_output],
      ['imageInput', detail.image_input],
      ['reasoning', detail.reasoning_tokens],
    ] as const
  ).flatMap(([word, tokens = 0]) => (tokens > 0 ? [[word, tokens] as const] : []))

const Mono = ({ children }: { readonly children: string }) => (
  <span className="font-mono text-caption [overflow-wrap:anywhere]">{children}</span>
)
