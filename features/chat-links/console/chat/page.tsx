import { useLocation } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import { useChatText } from '#console/app/chat/text.ts'
import { FramedPage } from '#console/app/shell/framed-page.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { ChatGate } from '../chat-gate.tsx'
import { useScreenText } from './text.ts'

/** `/chat/2` is the third configured chat, `/chat` the first. */
const indexIn = (path: string): number => Number(path.split('/')[2] ?? 0) || 0

export function ChatPage() {
  const t = useScreenText()
  const c = useChatText()
  const { pathname } = useLocation()
  const index = indexIn(pathname)
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {t('title')}
      </h1>
      <ChatGate key={index} index={index}>
        {target =>
          target.isWeb ? (
            <FramedPage
              address={target.address}
              title={c('frame', { name: target.name })}
              permissions="camera; microphone; clipboard-write"
            />
          ) : (
            <EmptyState
              icon={MessageSquare}
              title={target.name}
              action={
                <a href={target.address} className={buttonClasses('primary')}>
                  {c('external', { name: target.name })}
                </a>
              }
            />
          )
        }
      </ChatGate>
    </>
  )
}
