"""Evidence for other frameworks; each module needs the package it is named for.

`langchain` and `pydantic_ai` come with `pip install 'hsum-hythe[frameworks]'`;
`anthropic` and `annotation` make plain data and need nothing.
"""
