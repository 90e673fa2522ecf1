import { Download } from 'lucide-react'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useScreenText } from './text.ts'

interface CreatedDialogProps {
  readonly name: string
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** Shows new codes and offers them as a file that is named after the codes. */
export function CreatedDialog({ name, codes, onClose }: CreatedDialogProps) {
  const t = useScreenText()
  const file = `${name}.txt`
  const lines = codes.join('\n')
  const csv = () => toCsv([[t('name'), t('key')], ...codes.map(code => [name, code])])
  return (
    <Dialog
      title={t('createdTitle', { count: codes.length })}
      width="normal"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('done')}</Button>
          <Button variant="primary" icon={Download} onClick={() => downloadText(file, `${lines}\n`)}>
            {t('downloadText', { file })}
          </Button>
        </>
      }
    >
      <p className="mb-4 text-muted">{t('createdText')}</p>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
        tabIndex={0}
        aria-label={t('title')}
        className="max-h-64 divide-y divide-line overflow-y-auto rounded-card border border-line"
      >
        {codes.map(code => (
          <li key={code} className="flex items-center gap-3 py-1 pr-1 pl-3">
            <code className="min-w-0 flex-1 font-mono text-caption break-all">{code}</code>
            <CopyButton text={code} label={t('copyKey', { name: code })} />
          </li>
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        <CopyButton text={lines} label={t('copyAll')} buttonText={t('copyAll')} />
        <Button size="small" icon={Download} onClick={() => downloadText(`${name}.csv`, csv(), 'text/csv')}>
          {t('downloadCsv')}
        </Button>
      </div>
    </Dialog>
  )
}
