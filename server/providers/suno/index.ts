import { defineProvider } from '../../provider-kit/provider.ts'
import { task } from './task.ts'

/** A bridge to songs and lyrics, run by the operator. Source: github.com/Suno-API/Suno-API */
export const provider = defineProvider({
  type: 36,
  name: 'Suno',
  baseUrl: '',
  models: ['suno_music', 'suno_lyrics'],
  ownedBy: 'suno',
  form: { baseUrl: 'required' },
  task,
})
