import { defineTexts } from '../kit/texts.tsx'
import { GERMAN } from './texts-de.ts'
import { ENGLISH } from './texts-en.ts'

export const EVENTS_TEXTS = defineTexts({ en: ENGLISH, de: GERMAN })
