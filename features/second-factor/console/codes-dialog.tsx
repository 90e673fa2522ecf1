import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useFactorText } from './text.ts'

interface CodesDialogProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** Shows new recovery codes, once. */
export function CodesDialog({ codes, onClose }: CodesDialogProps) {
  const t = useFactorText()
  return (
    <Dialog
      title={t('codesTitle')}
      onClose={onClose}
      isPersistent
      footer={
        <>
          <CopyButton
            text={codes.join('\n')}
            label={t('copyCodes')}
            buttonText={t('copyCodes')}
            size="normal"
          />
          <Button variant="primary" onClick={onClose}>
            {t('codesKept')}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Banner tone="warning">{t('codesOnce')}</Banner>
        <ul className="grid grid-cols-2 gap-2 rounded-control border border-line bg-sunken p-3 font-mono">
          {codes.map(code => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
