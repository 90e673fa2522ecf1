import { ArrowDown } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../../ui/buttons/button.tsx'
import { useText } from '../../ui/text/text.ts'
import { Beginning } from './beginning.tsx'
import type { Settings } from './settings.ts'
import { text } from './text.ts'
import { isUnderWay } from './turn.ts'
import { TurnView } from './turn-view.tsx'
import type { Chat } from './use-chat.ts'
import { useFollowing } from './use-following.ts'

interface ConversationProps {
  readonly chat: Chat
  readonly settings: Settings
}

/** What was said. It follows a growing answer until the reader scrolls up. */
export function Conversation({ chat, settings }: ConversationProps) {
  const t = useText(text)
  const { box, content, isFollowing, onScroll, toEnd } = useFollowing()
  const { turns } = chat
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={box}
        aria-label={t('conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="h-full overflow-y-auto overscroll-contain px-3 outline-offset-[-2px] sm:px-6"
      >
        <div ref={content} className="mx-auto grid max-w-190 grid-cols-1 gap-6 py-6">
          {turns.length === 0 ? (
            <Beginning settings={settings} onSend={chat.send} />
          ) : (
            turns.map(turn => <TurnView key={turn.id} turn={turn} isBusy={chat.isBusy} actions={chat} />)
          )}
        </div>
      </section>
      {!isFollowing && (
        <IconButton
          label={t('toBottom')}
          icon={ArrowDown}
          look="default"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-menu"
          onClick={toEnd}
        />
      )}
      <Announcement chat={chat} />
    </div>
  )
}

/** Says to screen readers that an answer begins and ends, not every word of it. */
function Announcement({ chat: { turns } }: { readonly chat: Chat }) {
  const t = useText(text)
  const last = turns.at(-1)
  const [wasBusy, setWasBusy] = useState(false)
  const isBusy = last !== undefined && isUnderWay(last)
  useEffect(() => {
    if (isBusy) setWasBusy(true)
  }, [isBusy])
  const said = isBusy
    ? t('began')
    : wasBusy && last?.role === 'assistant'
      ? t(last.state === 'error' ? 'failed' : 'ended')
      : ''
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}
