import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  settingsSections: [
    {
      kind: 'editor',
      section: 'groups',
      load: async () => (await import('./groups-editor.tsx')).GroupsEditor,
    },
    {
      kind: 'editor',
      section: 'models',
      load: async () => (await import('./models-editor.tsx')).ModelsEditor,
    },
  ],
})
