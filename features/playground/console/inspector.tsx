import { useState } from 'react'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { SelectField } from '#console/ui/forms/labelled-inputs.tsx'
import { CodeSnippet } from '#console/ui/text/code-snippet.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { userMessage } from './chat-message.ts'
import { type ChatsState, requestLogOf } from './chats.ts'
import type { Thread } from './conversations.ts'
import { shortenDataUrls } from './pictures.ts'
import type { RequestLog } from './reply-stream.ts'
import { type ChatRequestBody, toRequestBody, toSnippets } from './request.ts'
import type { Settings } from './settings.ts'
import { useScreenText } from './text.ts'

const SAMPLE = 'Hello'

interface InspectorProps {
  readonly settings: Settings
  readonly threads: readonly Thread[]
  readonly state: ChatsState
}

/** The request of one thread as code, and the body and raw events of its last request. */
export function Inspector({ settings, threads, state }: InspectorProps) {
  const t = useScreenText()
  const status = useStatus()
  const [chosenId, setChosenId] = useState('')
  const thread = threads.find(({ id }) => id === chosenId) ?? threads[0]
  const requestLog = requestLogOf(state, thread)
  const model = thread?.model ?? settings.model
  const body = requestLog.body ?? toRequestBody({ ...settings, model }, [userMessage(SAMPLE)])
  return (
    <div className="grid grid-cols-1 gap-6">
      {threads.length > 1 && (
        <SelectField
          label={t('columns')}
          options={threads.map((option, index) => ({
            value: option.id,
            label: t('column', { number: index + 1, model: option.model }),
          }))}
          value={thread?.id ?? ''}
          onChange={setChosenId}
        />
      )}
      <section className="grid grid-cols-1 gap-2">
        <h3 className="text-small font-semibold">{t('code')}</h3>
        <CodeSnippet label={t('code')} snippets={toSnippets(body, `${serverAddress(status)}/v1`)} />
      </section>
      {requestLog.body ? (
        <>
          <RequestSection body={requestLog.body} />
          <EventsSection requestLog={requestLog} />
        </>
      ) : (
        <p className="text-small text-muted">{t('requestEmpty')}</p>
      )}
    </div>
  )
}

const BOX =
  'max-h-80 overflow-auto rounded-card border border-line bg-sunken p-3 font-mono text-caption leading-5'

function RequestSection({ body }: { readonly body: ChatRequestBody }) {
  const t = useScreenText()
  const kit = useKitText()
  const json = JSON.stringify(body, undefined, 2)
  return (
    <section className="grid grid-cols-1 gap-2">
      <div className="flex items-center justify-between">
        <h3 className="text-small font-semibold">{t('request')}</h3>
        <CopyButton text={json} label={`${kit('copy')} · ${t('request')}`} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable with the keyboard
        tabIndex={0}
        className={BOX}
      >
        {shortenDataUrls(json)}
      </pre>
    </section>
  )
}

function EventsSection({ requestLog: { events, count } }: { readonly requestLog: RequestLog }) {
  const t = useScreenText()
  return (
    <section className="grid grid-cols-1 gap-2">
      <h3 className="text-small font-semibold">{t('events', { count })}</h3>
      <ol
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable with the keyboard
        tabIndex={0}
        className={BOX}
      >
        {events.map(({ at, text: event }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no id, and their order never changes
            key={index}
            className="row-lazy flex gap-2"
          >
            <span className="w-14 shrink-0 text-right text-subtle tabular">{at} ms</span>
            <span className="min-w-0 [overflow-wrap:anywhere]">{event}</span>
          </li>
        ))}
      </ol>
      {count > events.length && (
        <p className="text-caption text-muted">{t('eventsMore', { count: events.length })}</p>
      )}
    </section>
  )
}
