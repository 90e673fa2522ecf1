import { useEffect } from 'react'
import { Spinner } from '#console/ui/buttons/buttons.tsx'
import { ChatGate } from '../chat-gate.tsx'
import { useScreenText } from './text.ts'

export function Chat2linkPage() {
  const t = useScreenText()
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {t('title')}
      </h1>
      <ChatGate index={0}>{target => <Redirect address={target.address} host={target.host} />}</ChatGate>
    </>
  )
}

interface RedirectProps {
  readonly address: string
  readonly host: string
}

function Redirect({ address, host }: RedirectProps) {
  const t = useScreenText()
  useEffect(() => window.location.replace(address), [address])
  return (
    <p role="status" className="flex items-center justify-center gap-3 p-12 text-muted">
      <Spinner />
      {t('leaving', { host })}
    </p>
  )
}
