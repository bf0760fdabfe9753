"""An authority of one's own, and a server's certificate from it."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def tls_of(folder: Path) -> ssl.SSLContext:
    """What a server on 127.0.0.1 needs; the authority's certificate is `ca.pem` in the folder."""
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = _name("Clinic CA")
    ca = _builder(issuer, issuer, authority.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    leaf = _builder(_name("labels"), issuer, key.public_key()).add_extension(address, critical=False)
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(ca.sign(authority, hashes.SHA256()).public_bytes(pem))
    (folder / "server.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + leaf.sign(authority, hashes.SHA256()).public_bytes(pem)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )
