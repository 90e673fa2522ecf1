import { Save, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useUser } from '#console/app/session/session.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { SelectField } from '#console/ui/forms/labelled-inputs.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { deletePreset, PRESETS_MAX, type Settings, savePreset, storedPresets } from './settings.ts'
import { useScreenText } from './text.ts'

const nameDialog = lazyPart(async () => (await import('./name-dialog.tsx')).NameDialog)

const isSame = (one: Settings, other: Settings): boolean => JSON.stringify(one) === JSON.stringify(other)

interface PresetsProps {
  readonly settings: Settings
  readonly onChange: (settings: Settings) => void
}

/** Saved settings: applies, saves, updates and deletes them. */
export function Presets({ settings, onChange }: PresetsProps) {
  const t = useScreenText()
  const userId = useUser()?.id ?? 0
  const [presets, setPresets] = useState(() => storedPresets(userId))
  const [appliedName, setAppliedName] = useState(
    () => presets.find(preset => isSame(preset.settings, settings))?.name ?? '',
  )
  const [isNaming, setNaming] = useState(false)
  const applied = presets.find(({ name }) => name === appliedName)
  const names = presets.map(({ name }) => name)
  const apply = (name: string) => {
    const preset = presets.find(found => found.name === name)
    setAppliedName(name)
    if (!preset || isSame(preset.settings, settings)) return
    onChange(preset.settings)
    const undo = () => {
      setAppliedName(appliedName)
      onChange(settings)
    }
    toast('info', t('presetApplied', { name }), { label: t('undo'), run: undo })
  }
  const save = (name: string) => {
    if (!names.includes(name) && names.length >= PRESETS_MAX)
      return toast('warning', t('presetsMax', { count: PRESETS_MAX }))
    setPresets(savePreset(userId, { name, settings }))
    setAppliedName(name)
    toast('success', t('presetSaved', { name }))
  }
  const remove = async (name: string) => {
    const title = t('presetDeleteTitle', { name })
    if (!(await confirm({ title, action: t('delete'), isDanger: true }))) return
    setPresets(deletePreset(userId, name))
    setAppliedName('')
  }
  return (
    <div className="grid gap-2">
      <SelectField
        label={t('preset')}
        help={presets.length === 0 ? t('presetHelp') : undefined}
        disabled={presets.length === 0}
        value={applied?.name ?? ''}
        options={[
          ...(applied ? [] : [{ value: '', label: t('presetNone') }]),
          ...names.map(name => ({ value: name, label: name })),
        ]}
        onChange={apply}
      />
      <div className="flex flex-wrap items-center gap-2 coarse:gap-3">
        <Button size="small" icon={Save} onClick={() => setNaming(true)}>
          {t('presetSave')}
        </Button>
        {applied && (
          <>
            <Button
              size="small"
              disabled={isSame(applied.settings, settings)}
              onClick={() => save(applied.name)}
            >
              {t('presetUpdate')}
            </Button>
            <IconButton
              label={t('presetDelete', { name: applied.name })}
              icon={Trash2}
              size="small"
              onClick={() => void remove(applied.name)}
            />
          </>
        )}
      </div>
      <Suspense fallback={null}>
        {isNaming && (
          <nameDialog.Part
            title={t('presetSave')}
            initial=""
            taken={names}
            onSave={save}
            onClose={() => setNaming(false)}
          />
        )}
      </Suspense>
    </div>
  )
}
