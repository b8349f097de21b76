"""Find passages, return exact bytes, and say what has become of them.

Query and plan decide what is asked, fusion and signals what comes first, exact what is
proved; stream reads what they need and `search` and `get` answer.
"""
