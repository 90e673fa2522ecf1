import type { ErrorComponentProps } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { CopyButton } from '../../ui/buttons/copy-button.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useAppText } from '../app-text.ts'

const ID_LENGTH = 8

const crashId = (): string => crypto.randomUUID().slice(0, ID_LENGTH)

/** Replaces a page that crashed. The id and the message are copied together. */
export function CrashPage({ error }: ErrorComponentProps) {
  const t = useAppText()
  const copy = useKitText()('copy')
  const [id] = useState(crashId)
  const message = error instanceof Error ? error.message : String(error)
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <EmptyState
        icon={TriangleAlert}
        title={t('crashTitle')}
        text={t('crashText')}
        action={
          <Button look="primary" onClick={() => window.location.reload()}>
            {t('reload')}
          </Button>
        }
      >
        <p className="flex items-center gap-2 rounded-control bg-sunken px-3 py-2 font-mono text-caption">
          <span className="min-w-0 flex-1 break-words">
            {id} · {message}
          </span>
          <CopyButton text={`${id} ${window.location.pathname} ${message}`} label={`${copy} · ${id}`} />
        </p>
      </EmptyState>
    </main>
  )
}
