import type { ReactNode } from 'react'
import { Button } from '../../buttons/buttons.tsx'
import { Dialog } from '../../overlays/dialog.tsx'
import { useKitText } from '../../text/kit-text.ts'

interface FilterDrawerProps {
  readonly children: ReactNode
  readonly onClose: () => void
  readonly onClear: () => void
}

/** Filters of a list on phones. Changes apply immediately. */
export function FilterDrawer({ children, onClose, onClear }: FilterDrawerProps) {
  const t = useKitText()
  return (
    <Dialog
      title={t('filters')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClear}>{t('clearAll')}</Button>
          <Button variant="primary" onClick={onClose}>
            {t('showResults')}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 pt-2 [&_[aria-haspopup]]:grow [&_[aria-haspopup]]:justify-between">
        {children}
      </div>
    </Dialog>
  )
}
