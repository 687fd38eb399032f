"""Which call does what: an effect, and where in the call its operands stand.

A place is a number, a keyword, or self, the object that a method belongs to.
"""

_RUN = ("run", 0, "args", "cmd", "command")
_SEND = ("send", "data", "json", "files", "body", "content", 1, 2)
_GET = ("fetch", 0, "url")

CALLS = {
    **dict.fromkeys(("os.remove", "os.unlink", "os.rmdir", "os.removedirs", "shutil.rmtree", "send2trash.send2trash"), ("delete", 0, "path")),
    **dict.fromkeys(("open", "io.open", "codecs.open", "gzip.open", "builtins.open", "bz2.open", "zipfile.ZipFile", "tarfile.open", "aiofiles.open"), ("open", 0, 1)),
    "os.chmod": ("chmod", 0, "path"),
    **dict.fromkeys(("shutil.unpack_archive",), ("overwrite", 1, "extract_dir")),
    **dict.fromkeys(("sqlite3.connect",), ("read", 0, "database")),
    **dict.fromkeys(("print", "pprint.pprint", "json.dump", "pickle.dump"), ("show", 0)),
    **dict.fromkeys(("socket.gethostbyname", "socket.gethostbyname_ex", "socket.getaddrinfo", "dns.resolver.resolve", "dns.resolver.query"), ("lookup", 0)),
    **dict.fromkeys(("pip.main", "pip._internal.main"), ("package", 0)),
    **dict.fromkeys(("sys.settrace", "sys.setprofile", "threading.settrace", "os.putenv", "os.unsetenv", "sys.meta_path.insert", "sys.meta_path.append",
                     "sys.path_hooks.append", "time.clock_settime", "gc.get_objects", "os.environ.clear"), ("tamper", 0)),
    **dict.fromkeys(("sys.path.insert", "sys.path.append", "site.addsitedir"), ("imports", 1, 0)),
    **dict.fromkeys(("pwd.getpwall", "grp.getgrall", "keyring.get_password", "keyring.get_credential", "win32crypt.CryptUnprotectData"), ("secret",)),
    **dict.fromkeys(("bytearray", "numpy.zeros", "numpy.ones", "numpy.empty", "numpy.random.rand", "os.posix_fallocate", "os.ftruncate", "sys.setrecursionlimit"), ("size",)),
    "os.umask": ("umask",),
    **dict.fromkeys(("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "os.link", "os.symlink"), ("copy", 0, "src", 1, "dst")),
    **dict.fromkeys(("shutil.move", "os.rename", "os.replace", "os.renames"), ("move", 0, "src", 1, "dst")),
    **dict.fromkeys(("os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"), ("read", 0, "path", "top", "pathname")),
    **dict.fromkeys(("shutil.make_archive",), ("copy", 2, "root_dir")),
    **dict.fromkeys(("linecache.getlines", "fileinput.input", "numpy.loadtxt", "numpy.fromfile", "pandas.read_csv", "mmap.mmap"), ("read", 0, "filename")),
    **dict.fromkeys(("os.truncate", "os.chown", "os.lchown", "shutil.chown", "os.mkfifo", "os.mknod", "os.makedirs", "os.mkdir", "os.open", "os.utime"), ("overwrite", 0, "path")),
    **dict.fromkeys((
        "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen",
        "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput", "pty.spawn", "asyncio.create_subprocess_shell",
        "asyncio.create_subprocess_exec", "pexpect.spawn",
    ), _RUN),
    **{f"os.{x}{y}": ("run", 1, 0) for x in ("exec", "spawn") for y in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
    **dict.fromkeys(("os.posix_spawn", "os.posix_spawnp"), ("run", 1)),
    **dict.fromkeys(("eval", "exec", "builtins.eval", "builtins.exec", "compile", "__import__", "importlib.import_module", "runpy.run_path", "code.interact"), ("text", 0)),
    **dict.fromkeys(("pickle.loads", "pickle.load", "dill.loads", "marshal.loads", "jsonpickle.decode"), ("unpack", 0)),
    **dict.fromkeys(("yaml.load", "yaml.load_all", "yaml.unsafe_load"), ("loads",)),
    **dict.fromkeys(("requests.post", "requests.put", "requests.patch", "httpx.post", "httpx.put", "requests.request", "requests.Session().post",
                     "requests.session().post", "httpx.Client().post", "aiohttp.ClientSession().post", "urllib3.PoolManager().request"), _SEND),
    **dict.fromkeys(("urllib.request.Request",), ("send", 1, "data")),
    **dict.fromkeys(("requests.get", "httpx.get", "requests.Session().get", "requests.session().get", "aiohttp.ClientSession().get", "urllib.request.urlopen"), _GET),
    **dict.fromkeys(("urllib.request.urlretrieve", "urllib.urlretrieve", "wget.download"), ("save", 0, "url", 1, "filename", "out")),
    **dict.fromkeys(("http.server.HTTPServer", "http.server.ThreadingHTTPServer", "socketserver.TCPServer", "socketserver.UDPServer", "asyncio.start_server", "socket.create_server",
                     "socketserver.ThreadingTCPServer", "xmlrpc.server.SimpleXMLRPCServer", "flask.Flask().run", "uvicorn.run", "websockets.serve", "aiohttp.web.run_app", "waitress.serve", "bottle.run", "grpc.server",
                     "pyftpdlib.servers.FTPServer"), ("listen",)),
    **dict.fromkeys(("os.kill", "os.killpg", "psutil.Process().kill", "psutil.Process().terminate", "psutil.process_iter().kill",
                     "psutil.process_iter().terminate", "os.reboot", "signal.pthread_kill"), ("kill",)),
    **dict.fromkeys(("os.setuid", "os.setgid", "os.seteuid", "os.setegid", "os.setreuid", "os.setresuid", "os.chroot", "os.initgroups"), ("accounts",)),
    **dict.fromkeys(("ctypes.CDLL", "ctypes.WinDLL", "ctypes.cdll.LoadLibrary", "ctypes.PyDLL", "ctypes.string_at", "ctypes.memmove", "ctypes.memset", "cffi.FFI().dlopen"), ("library",)),
    **dict.fromkeys(("os.fork", "os.forkpty", "multiprocessing.Process", "threading.Thread", "concurrent.futures.ThreadPoolExecutor().submit",
                     "concurrent.futures.ProcessPoolExecutor().submit"), ("spawn",)),
    **dict.fromkeys(("hashlib.md5", "hashlib.sha1", "hashlib.sha256", "hashlib.sha512", "hashlib.blake2b", "hashlib.scrypt", "hashlib.pbkdf2_hmac"), ("hash",)),
    "PIL.ImageGrab.grab": ("watch",),
    "cv2.VideoCapture": ("camera",),
    **dict.fromkeys(("pyperclip.paste", "tkinter.Tk().clipboard_get", "pyautogui.screenshot", "pyautogui.typewrite", "pyautogui.write",
                     "pyautogui.click", "win32clipboard.GetClipboardData", "socket.gethostbyaddr"), ("watch",)),
    "psutil.net_connections": ("watch",),
    "os.dup2": ("raw",),
    "cryptography.fernet.Fernet().encrypt": ("encrypt",),
}
# By the end of the name: ?. is a method of whatever object.
METHODS = {
    **dict.fromkeys(("Path().unlink", "Path().rmdir", "?.unlink", "?.rmtree"), ("delete", "self")),
    **dict.fromkeys(("Path().write_text", "Path().write_bytes", "Path().touch", "Path().mkdir", "?.write_text", "?.write_bytes"), ("overwrite", "self")),
    **dict.fromkeys(("Path().read_text", "Path().read_bytes", "Path().iterdir", "Path().glob", "Path().rglob"), ("read", "self")),
    "Path().chmod": ("chmod", "self"),
    "Path().open": ("open", "self", 0),
    **dict.fromkeys(("Path().rename", "Path().replace"), ("move", "self", "src", 0, "target")),
    "Path().symlink_to": ("copy", 0, "target", "self"),
    **dict.fromkeys(("socket.socket().send", "socket.socket().sendall", "socket.socket().sendto", "socket.create_connection().send",
                     "socket.create_connection().sendall", "?.sendall", "?.sendto"), ("send", 0, 1)),
    **dict.fromkeys(("?.storbinary", "?.storlines", "?.upload_file", "?.put_object", "?.upload_fileobj", "?.upload_from_filename", "?.upload_blob",
                     "SFTPClient.from_transport().put", "?.open_sftp().put", "telnetlib.Telnet().write"), ("away", 0, 1, "Body")),
    **dict.fromkeys(("socket.socket().connect", "socket.socket().connect_ex", "socket.create_connection", "paramiko.SSHClient().connect",
                     "ftplib.FTP().login", "smtplib.SMTP().login", "telnetlib.Telnet"), ("dial",)),
    **dict.fromkeys(("?.execute", "?.executescript", "?.executemany", "?.raw"), ("query", 0)),
    **dict.fromkeys(("?.drop_database", "?.flushall", "?.flushdb", "?.drop_all", "?.drop_collection"), ("drop",)),
    **dict.fromkeys(("?.extractall",), ("overwrite", 0, "path")),
    **dict.fromkeys(("?.extract",), ("overwrite", 1, "path")),
    **dict.fromkeys(("?.truncate", "?.seek"), ("size",)),
    **dict.fromkeys(("?.write", "?.writelines"), ("show", 0)),
    **dict.fromkeys(("os.environ.update", "os.environ.setdefault"), ("environs", 0)),
    **dict.fromkeys(("?.sendmail", "?.send_message"), ("mail", 2, 0, "msg")),
    **dict.fromkeys(("socket.socket().listen", "socket.socket().bind", "?.serve_forever"), ("listen",)),
    "?.encrypt": ("encrypt",),
    "?.exec_command": ("run", 0),
}
# What may be given any path: it looks at the text, asks whether the file is there, or is
# a function of the program, into which the path is followed.
HARMLESS = tuple("""def print str repr len re. os.path. os.stat os.access os.environ os.getenv pathlib. Path PurePath isinstance
    sorted list tuple set dict enumerate zip sys.path logging. logger. argparse. textwrap. string. json.dumps fnmatch.
    unittest. ?.startswith ?.endswith ?.append ?.add ?.get ?.join ?.replace ?.split ?.format ?.add_argument ?.index""".split())

# Methods of paths that do nothing to the file.
LOOKS = set("""exists is_file is_dir is_symlink is_absolute stat lstat resolve absolute expanduser joinpath with_name with_suffix with_stem
    relative_to is_relative_to as_posix as_uri match samefile owner group""".split())

# What a result came from, by the end of the name.
SOURCES = {
    **dict.fromkeys((".recv", ".recvfrom", ".recv_into", ".makefile", "requests.get", "httpx.get", "urllib.request.urlopen", "requests.post",
                     "requests.request", ".accept"), "received"),
    **dict.fromkeys((".read", ".read_text", ".read_bytes", ".readlines"), "file"),
    **dict.fromkeys(("base64.b64decode", "base64.b32decode", "base64.b16decode", "base64.a85decode", "base64.b85decode", "binascii.unhexlify",
                     "bytes.fromhex", "zlib.decompress", "codecs.decode", "bytearray.fromhex", "marshal.loads", "lzma.decompress", "bz2.decompress"), "decoded"),
    **dict.fromkeys(("input", "sys.stdin.read", "sys.stdin.readline"), "input"),
    **dict.fromkeys(("os.environ.copy", "os.environ.items"), "env"),
}
# Modules whose import alone tells.
MODULES = {
    **dict.fromkeys(("pynput", "keyboard", "pyxhook", "mss", "pyscreenshot", "scapy", "pcap", "pcapy", "pyshark", "browser_cookie3", "sounddevice",
                     "pyaudio", "netfilterqueue", "watchdog", "pyinotify", "impacket", "nmap", "browser_cookie3"), ("watch", "any")),
    **dict.fromkeys(("winreg", "_winreg", "crontab"), ("persistence", "any")),
    **dict.fromkeys(("spwd", "crypt"), ("accounts", "any")),
}
