"""What all pages share: layout, messages, address, reruns and caches; it may use Streamlit and the store."""
