import { Calculator } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { useRepriceText } from './text.ts'

const panel = lazyPart(async () => (await import('./panel.tsx')).RepricePanel)

/** Opens the panel that tries unsaved prices and ratios on past requests. */
export function RepriceButton() {
  const t = useRepriceText()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="grid grid-cols-1 gap-4 border-t border-line pt-4">
      <Button
        icon={Calculator}
        className="justify-self-start"
        aria-expanded={isOpen}
        onPointerEnter={panel.preload}
        onFocus={panel.preload}
        onClick={() => setOpen(!isOpen)}
      >
        {t('title')}
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <panel.Part />
        </Suspense>
      )}
    </div>
  )
}
