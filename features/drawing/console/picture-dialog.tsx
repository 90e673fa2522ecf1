import { Download, ExternalLink, ZoomIn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useScreenText } from './text.ts'

interface PictureDialogProps {
  readonly url: string
  /** Alternative text of the picture. */
  readonly prompt: string
  readonly onClose: () => void
}

/** A picture, fitted to the window or at its full size, with links to open and download it. */
export function PictureDialog({ url, prompt, onClose }: PictureDialogProps) {
  const t = useScreenText()
  const [isLarge, setLarge] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  return (
    <Dialog
      title={t('picture')}
      width="large"
      onClose={onClose}
      footer={
        <>
          <Button icon={isLarge ? ZoomOut : ZoomIn} onClick={() => setLarge(!isLarge)}>
            {t(isLarge ? 'zoomOut' : 'zoomIn')}
          </Button>
          <a href={url} target="_blank" rel="noopener noreferrer" className={buttonClasses()}>
            <ExternalLink size={16} aria-hidden />
            {t('openPicture')}
          </a>
          <a href={url} download className={buttonClasses()}>
            <Download size={16} aria-hidden />
            {t('download')}
          </a>
        </>
      }
    >
      {hasFailed ? (
        <p className="text-muted">{t('pictureFailed')}</p>
      ) : (
        <div className="max-h-[70dvh] overflow-auto">
          <img
            src={url}
            alt={prompt}
            onError={() => setFailed(true)}
            className={isLarge ? 'max-w-none' : 'mx-auto max-h-[65dvh] max-w-full object-contain'}
          />
        </div>
      )}
      {prompt !== '' && <p className="mt-3 text-small break-words text-muted">{prompt}</p>}
    </Dialog>
  )
}
