import { Link } from '@tanstack/react-router'
import { MessageCircle, Plug } from 'lucide-react'
import { LoadError } from '../../app/api/load-error.tsx'
import { hasRole, useUser } from '../../app/session/session.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { useText } from '../../ui/text/text.ts'
import type { Settings } from './settings.ts'
import { text } from './text.ts'
import { useOffer } from './use-offer.ts'

const SUGGESTIONS = ['suggestionPlan', 'suggestionCode', 'suggestionTable'] as const

interface BeginningProps {
  readonly settings: Settings
  readonly onSend: (content: string) => void
}

/** Before the first question: examples, as soon as it is known that somebody would answer them. */
export function Beginning({ settings, onSend }: BeginningProps) {
  const t = useText(text)
  const { state, error, isFetching, refetch } = useOffer(settings)
  if (state === 'failed')
    return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (state === 'none') return <NoModels />
  if (state === 'elsewhere') {
    const title = t('notServed', { model: settings.model })
    return <EmptyState icon={Plug} title={title} text={t('notServedText')} />
  }
  return (
    <EmptyState icon={MessageCircle} title={t('emptyTitle')} text={t('emptyText')}>
      <div className="grid gap-2">
        {SUGGESTIONS.map(suggestion => (
          <Button
            key={suggestion}
            disabled={state === 'unknown'}
            className="justify-start!"
            onClick={() => onSend(t(suggestion))}
          >
            {t(suggestion)}
          </Button>
        ))}
      </div>
    </EmptyState>
  )
}

function NoModels() {
  const t = useText(text)
  const isAdmin = hasRole(useUser(), 'admin')
  return (
    <EmptyState
      icon={Plug}
      title={t('noModels')}
      text={t(isAdmin ? 'noModelsAdmin' : 'noModelsUser')}
      action={
        isAdmin && (
          <Link to="/channel" className={buttonClasses('primary')}>
            {t('toChannels')}
          </Link>
        )
      }
    />
  )
}
