"""Score items in several processes of this machine.

The processes are programs of their own (`program`), not forks: the caller may hold threads and database connections. Nor do they
import the caller's script again, as those of `multiprocessing` do, so that a script needs no `if __name__ == "__main__"`.
"""
