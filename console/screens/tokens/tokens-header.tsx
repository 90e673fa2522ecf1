import { Copy, Info, Plus } from 'lucide-react'
import { useDismissed } from '../../app/dismissed.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'

interface TokensHeaderProps {
  readonly total: number | undefined
  readonly onCopy: () => void
  readonly onNew: () => void
  /** The pointer or the focus is on the button: its code can be fetched. */
  readonly onNewNear: () => void
}

/** Title, the warning about quotas, and the two main actions. */
export function TokensHeader({ total, onCopy, onNew, onNewNear }: TokensHeaderProps) {
  const t = useText(text)
  const [isClosed, setClosed] = useDismissed('token-warning')
  return (
    <>
      <PageHeader title={t('title')} count={total === undefined ? undefined : String(total)}>
        {isClosed && <IconButton label={t('showWarning')} icon={Info} onClick={() => setClosed(false)} />}
        <Button icon={Copy} className="max-sm:gap-0 max-sm:px-2.5" onClick={onCopy}>
          <span className="max-sm:sr-only">{t('copySelected')}</span>
        </Button>
        <Button look="primary" icon={Plus} onPointerEnter={onNewNear} onFocus={onNewNear} onClick={onNew}>
          {t('add')}
        </Button>
      </PageHeader>
      {!isClosed && (
        <div className="mb-4">
          <Banner tone="warning" onClose={() => setClosed(true)}>
            {t('warning')}
          </Banner>
        </div>
      )}
    </>
  )
}
