import { Power, Trash2 } from 'lucide-react'
import type { Redemption } from '#contract/redemptions.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { useNeighbours } from '../../app/neighbours.ts'
import { TimeText } from '../../app/time-text.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { useText } from '../../ui/text.ts'
import { RedeemerCell, StatusCell } from './code-cells.tsx'
import { STATUS } from './code-state.ts'
import type { CodeSheetProps } from './sheet-props.ts'
import { text } from './text.ts'
import { useCodeActions } from './use-code-actions.tsx'

/** A code that can no longer be edited, or not now. */
export function CodeFacts({ code, rows, onOpen, onClose }: CodeSheetProps & { readonly code: Redemption }) {
  const t = useText(text)
  const { toggle, askDelete } = useCodeActions()
  const neighbours = useNeighbours(rows, code.id, onOpen)
  const isDisabled = code.status === STATUS.disabled
  const remove = async () => {
    if (await askDelete(code)) onClose()
  }
  return (
    <Sheet
      title={`${t('viewTitle')} #${code.id}`}
      status={<StatusCell code={code} />}
      neighbours={neighbours}
      onClose={() => onClose()}
      footer={
        <>
          <Button look="danger-text" icon={Trash2} className="mr-auto" onClick={() => void remove()}>
            {t('delete')}
          </Button>
          {isDisabled && (
            <Button look="primary" icon={Power} onClick={() => toggle(code)}>
              {t('enable')}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-5">
        <Banner tone="info">{t(isDisabled ? 'viewDisabled' : 'viewUsed')}</Banner>
        <SecretField secret={code.key} label={t('key')} />
        <KeyValues
          items={[
            { label: t('name'), value: code.name },
            { label: t('quota'), value: <MoneyText quota={code.quota} /> },
            { label: t('created'), value: <TimeText unixSeconds={code.created_time} /> },
            {
              label: t('redeemed'),
              value: code.redeemed_time > 0 ? <TimeText unixSeconds={code.redeemed_time} /> : t('never'),
            },
            { label: t('redeemedBy'), value: <RedeemerCell code={code} /> },
          ]}
        />
      </div>
    </Sheet>
  )
}
