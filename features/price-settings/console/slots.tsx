import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  settingsSections: [
    {
      kind: 'editor',
      section: 'groups',
      help: {
        zh: '所有价格都会乘以分组倍率；可选的分组用户可以自行用于令牌。',
        en: 'Every price is multiplied by the group ratio. Users can choose selectable groups for their tokens.',
      },
      load: async () => (await import('./groups-editor.tsx')).GroupsEditor,
    },
    {
      kind: 'editor',
      section: 'models',
      help: {
        zh: '固定价格优先于倍率；倍率 1 表示每百万输入 Token 2 美元。',
        en: 'A fixed price takes precedence over the ratios. A ratio of 1 is $2 per million input tokens.',
      },
      load: async () => (await import('./models-editor.tsx')).ModelsEditor,
    },
  ],
})
