"""What every room uses and none owns.

Argument checks (`checks`), arithmetic on rows (`arrays`, `lengths`), the classes that files name
(`kinds`), gensim 3's names (`old_names`), the event log (`lifecycle`), and how readers see one
consistent state while another thread writes (`reading`).
"""
