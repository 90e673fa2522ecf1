import { PartyPopper, X } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'

const SPARKS = [
  'bg-series-1',
  'bg-series-2',
  'bg-series-3',
  'bg-series-4',
  'bg-series-6',
  'bg-series-8',
] as const

/** A greeting on the first of January. Its sparks stand still for those who want no motion. */
export function NewYearGreeting({ onClose }: { readonly onClose: () => void }) {
  const t = useText(appText)
  const k = useText(kitText)
  return (
    <aside
      aria-label={t('newYear')}
      className="fixed bottom-4 left-4 z-20 flex items-start gap-3 overflow-hidden rounded-dialog border border-line bg-raised py-3 pr-2 pl-4 shadow-menu"
    >
      <span aria-hidden className="absolute inset-x-0 top-0 flex">
        {SPARKS.map(colour => (
          <span key={colour} className={`h-1 flex-1 animate-pulse ${colour}`} />
        ))}
      </span>
      <PartyPopper size={22} aria-hidden className="mt-0.5 text-accent" />
      <div>
        <p className="font-semibold">{t('newYear')}</p>
        <p className="text-muted">{t('newYearText')}</p>
      </div>
      <IconButton label={k('close')} icon={X} size="small" hasTooltip={false} onClick={onClose} />
    </aside>
  )
}
