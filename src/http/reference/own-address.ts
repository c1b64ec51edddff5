/** Stands for the address of this Beckon in a rendered page. No text that is put into a page can contain it. */
export const OWN_ADDRESS = '\u0000'
