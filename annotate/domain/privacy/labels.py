"""Words that stand beside a date of birth, a number of a person's record or a telephone number, in many languages.

A space stands for a space, a dot, a dash, an underscore or nothing.
"""

from __future__ import annotations

BIRTH = """
ur dn|d tarihi|d tar
patient birth date|patient date of birth|birth time|d/o/b|d0b|date 0f birth|fecha nac|naci|nací|nasci|nascida em
sono nato|sono nata
mi fecha de nacimiento|birthdays|aniversário|cumpleaños|compleanno|anniversaire|verjaardag|födelsedag|fødselsdag
urodziny|doğum günü
geborene|geborener|مواليد|ولد في|ولدت في|من مواليد|متولد|出世日期|出世|誕生
data de nasc|nasc|дата рожд
date of birth|dateofbirth|birth|nacimiento|fecha nac|рождения|doğum|szül
fecha de nac
geb dat|data ur|d o b|dob|dobs|birth date|birthdate|birth day|birthday|born|geburtsdatum|geburtstag|geb datum|geboren|geb|né
née|date de naissance|ddn|naissance|nacido|nacida|nació|fecha de nacimiento|fecha nacimiento|f nacimiento|f nac|fnac|nato
nata|data di nascita|nascita|nascido|nascida|nasceu|data de nascimento|data nascimento|dt nasc|nascimento|data de naixement
geboortedatum|geb dat|född|födelsedatum|født|fødselsdato|fødselsdag|fødd|fæðingardagur|fæddur|fædd|syntymäaika|syntynyt
sünniaeg|dzimšanas datums|gimimo data|data urodzenia|urodzony|urodzona|datum narození|dat nar|narozen|narozena
dátum narodenia|narodený|narodená|születési dátum|születési idő|született|data nașterii|născut|născută|datum rođenja|rođen
rođena|datum rojstva|doğum tarihi|doğum t|doğumlu|дата рождения|д р|родился|родилась|год рождения|дата народження
дата на раждане|датум рођења|ημερομηνία γέννησης|ημ γέννησης|תאריך לידה|תאריך הלידה|ת לידה|تاريخ الميلاد|تاريخ الولادة
تاریخ تولد|تاریخ پیدائش|जन्म तिथि|जन्मतिथि|जन्म तारीख|জন্ম তারিখ|பிறந்த தேதி|วันเกิด|วันเดือนปีเกิด|วัน เดือน ปีเกิด
เกิดวันที่|ngày sinh|sinh ngày|năm sinh|tanggal lahir|tgl lahir|tgl lhr|tarikh lahir|lahir|petsa ng kapanganakan
araw ng kapanganakan|tarehe ya kuzaliwa|生年月日|出生日期|出生年月日|出生年月|出生日|出生时间|出生於|出生于|生於|生于|生日
誕生日|诞生日|出生|生年|출생연월일|생년월일|생년 월일|출생일자|출생일|출생년월일|생일|출생
"""
# Behind the date, where some languages have it.
BORN = (
    r"\s?[(\[]?\s?(?:D\.?O\.?B\b|date of birth|birth ?date|date de naissance|geburtsdatum"
    r"|fecha de nacimiento|data di nascita|born\b|geboren\b|született|(?:г\.|года) ?рождения|г\.\s?р\."
    r"|生まれ|出生|出世|doğumlu|['’]?d[ae] doğ|tarihinde doğ"
    r"|生(?:(?![\u3040-\u30ff\u4e00-\u9fff])|(?=の|的))|출생(?! ?후)|생(?:(?![\uac00-\ud7a3])|(?=으로|이|인|의|입|남|여)))"
)
# With these, four digits are a number.
RECORD = """
hospital ref|hosp ref|ohip|ohip no|hic #|hicn|acc #|acc no|n° de patient|nº de paciente|nr patienta|umrn|ppsn
numer historii choroby
patid|pat nr|pat no|pat id|patnr|patient num|pt number|pt num|lab no|lab number|lab ref|laboratory no|request no
request number
hospital num|hosp number|hosp num|hosp id|in patient no|inpatient no|outpatient no|ip no|op no|ip number|op number|opd no
ipd no|uhid|uhid no|cr no|nhs n0|empi|registration no|registration number|reg no|sample no|sample number|specimen id
specimen number|accession #|lab #|certificate no|claim id|fall id|behandlungsnummer|auftragsnummer
labornummer|probennummer|patientenkennung|numéro de séjour|n° de séjour|n° séjour|n° adhérent|n° d'adhérent
numéro d'admission
nº de ingreso|número de ingreso|nº de afiliado|número de afiliado|nº de registro|número de registro|matrícula
numero di ricovero
numero pratica|opnamenummer|klantnummer|verzekeringsnummer|zorgpolisnummer|numer ubezpieczenia|numer dokumentu
hasta numarası|dosya numarası
رقم السجل|رقم التأمين|رقم البطاقة|الهوية|入院番号|受付番号|検体番号|保険番号|住院编号|急诊号|检验号|标本号|样本号
條碼號|就醫序號|입원번호|수진번호|내원번호|챠트 번호|병력번호
medical rec|medical rec no|medical rec #|ird no|processo
processo nº|истории болезни|история болезни|vin|vehicle identification number
license plate|licence plate|number plate|imei|serial no|serial number
device serial|dea|npi|claim no|claim number|episode|group number
mrn|mr no|mr number|m r n|medical record no|medical record number|medical record|record no|record number|record id
patient id|patient identifier|patient no|patient number|patient ref|patient reference|pt id|pt no|hospital no
hospital number|hospital id|hosp no|unit no|unit number|chart no|chart number|chart id|case no|case number|case id|case ref
file no|file number|admission no|admission number|encounter no|encounter id|visit no|visit number|visit id|accession no
accession number|specimen no|sample id|pt #|patient #|chart #|record #|visit #|case #|file #|encounter #|account #|acct #
unit #|hospital #|hosp #|mr #|ur #|member #|policy #|dossier #|med rec|med rec no|h&c number|h&c no|health and care number
nhs no|nhs number|nhs num|chi no|chi number|h c number|nhi|nhi no|nhi number|ihi|ihi number|dva no|dva number|crn|crn no
urn no|ur no|ur number|ssn|s s n|social security no|social security number|social security|social insurance number|sin no
sin number|ni no|ni number|nino|national insurance no|national insurance number|national id|national id no
national id number|national identity number|national identity card|identity card|identity card no|identity no
identity number|id card|id card no|id card number|id no|id number|identification no|identification number|tax id
tax file number|tfn no|taxpayer id|itin|passport no|passport number|passport num|passport id|travel document no
driving licence|driving licence no|driver licence|driver licence no|driver's license|driver's license no|driver's licence
drivers licence|drivers license|driver license|driver license no|driver's license number|driver's licence number
licence number|license number|licence no|license no|dl no|insurance no|insurance number|insurance id|insurance policy
insurance member id|health card|health card no|health card number|health insurance no|health insurance number
health plan number|health number|health id|abha|abha no|abha number|member id|member no|member number|membership number
subscriber id|subscriber no|beneficiary no|beneficiary id|beneficiary number|mbi|medicare no|medicare number|medicaid no
medicaid id|medicaid number|policy no|policy number|policy id|account no|account number|acct no|acct|a c no|bank account
iban|card no|card number|credit card|aadhaar|aadhaar no|aadhaar number|aadhar|aadhar no|uidai|pan no|pan number|pan card
voter id|nric|nric no|fin no|mykad|mykad no|ic no|hkid|hkid no|hkic|hkic no|hkid number|cnic|cnic no|nik|no ktp|ktp|no rm
no rekam medis|rekam medis|nomor rekam medis|no bpjs|bpjs|philhealth no|sss no|tin no|citizen id|cccd|cmnd|căn cước
số bệnh án|mã bệnh nhân|mã bn|hồ sơ số|fallnummer|fall nr|fallnr|patientennummer|patienten nr|patientennr|patienten id
aufnahmenummer|aufnahme nr|krankenhausnummer|versichertennummer|versicherten nr|versichertennr|versicherungsnummer
krankenversichertennummer|kvnr|kv nr|rentenversicherungsnummer|sozialversicherungsnummer|sv nummer|svnr|sv nr|rvnr|steuer id
steueridentifikationsnummer|steuer identifikationsnummer|idnr|steuernummer|personalausweis|personalausweisnummer
ausweisnummer|ausweis nr|reisepass|reisepass nr|passnummer|pass nr|ahv nummer|ahv nr|ahv|akten nr|aktenzeichen|aktennummer
kontonummer|numéro de dossier|n° de dossier|no de dossier|n° dossier|dossier n°|dossier no|n° ipp|numéro patient|n° patient
numéro de patient|numéro de sécurité sociale|n° de sécurité sociale|n° sécurité sociale|n° sécu|numéro sécu|nss|n° nir
numéro nir|sécurité sociale|carte vitale|numéro d'assurance maladie|ramq|numéro d'assurance sociale|n° ss|passeport
passeport n°|numéro de passeport|carte d'identité|n° carte d'identité|registre national|numéro de registre national
numéro national|avs|n° avs|numéro avs|historia clínica|nº historia clínica|n° historia clínica|nhc|n h c|número de historia
nº historia|nº de historia|nº expediente|número de expediente|expediente|nº paciente|número de paciente|dni|d n i|nif|nie
nuss|nº ss|seguridad social|nº seguridad social|número de seguridad social|número de la seguridad social
nº de la seguridad social|tarjeta sanitaria|pasaporte|nº pasaporte|número de pasaporte|cédula|cédula de identidad
cédula de ciudadanía|cuil|cuit|curp|rfc|rut|r u t|nº documento|prontuário|nº prontuário|número do prontuário|cpf|c p f
cartão sus|cartão nacional de saúde|número do cartão|processo clínico|nº processo|número de processo|número de utente
nº utente|nº de utente|utente|cartão de cidadão|cartão do cidadão|niss|bilhete de identidade|passaporte|nº passaporte
cartella clinica|numero cartella|cartella n|n cartella|numero nosologico|nosologico|codice fiscale|cod fisc
tessera sanitaria|codice paziente|id paziente|passaporto|carta d'identità|patiëntnummer|patientnummer|patiënt nr|patiëntnr
dossiernummer|ziekenhuisnummer|bsn|b s n|burgerservicenummer|bsn nummer|rijksregisternummer|rijksregisternr|rrn|insz|inss
niss nr|paspoortnummer|paspoort|polisnummer|identiteitskaart|personnummer|person nr|pnr|samordningsnummer|patientnr
journalnummer|journal nr|fødselsnummer|fødselsnr|fnr|d nummer|cpr|cpr nr|cpr nummer|cpr number|personnr|henkilötunnus|hetu
sotu|potilasnumero|kennitala|isikukood|personas kods|asmens kodas|pesel|nr pesel|numer pesel|nr pacjenta|numer pacjenta
nr historii choroby|nr księgi|dowód osobisty|nr dowodu|nip nr|paszport|rodné číslo|rodne cislo|r č|rč|číslo pojištěnce
č pojištěnce|občanský průkaz|taj|taj szám|tajszám|személyi szám|személyi igazolvány|betegazonosító|törzsszám|cnp|c n p
nr dosar|număr dosar|fo nr|oib|jmbg|emšo|mbo|mb o|egn|егн|ек н|tc kimlik no|t c kimlik no|tc kimlik|kimlik no|tckn|tc no
hasta no|protokol no|dosya no|amka|α μ κ α|αμκα|α μ|αφμ|α δ τ|снилс|инн|паспорт|паспорт серия|серия и номер|полис|полис омс
омс|номер карты|номер медицинской карты|медкарта|медицинская карта|история болезни|история болезни №|и б №|карта №
амбулаторная карта|ідентифікаційний номер|рнокпп|іпн|иин|жсн|ת ז|תעודת זהות|מספר זהות|מס' זהות|מספר תיק|מספר מטופל|דרכון
رقم الهوية|رقم الهوية الوطنية|الرقم القومي|الرقم الوطني|رقم الملف|رقم المريض|رقم الملف الطبي|رقم الجواز|جواز السفر
رقم جواز السفر|رقم الإقامة|هوية|کد ملی|شماره ملی|شماره پرونده|شناختی کارڈ|आधार|आधार संख्या|आधार नंबर|मरीज़ आईडी|रोगी संख्या
अस्पताल संख्या|পরিচয়পত্র|জাতীয় পরিচয়পত্র|เลขประจำตัวประชาชน|เลขบัตรประชาชน|บัตรประชาชน|เลขที่ผู้ป่วย|เลขผู้ป่วย
เลขประจำตัวผู้ป่วย|หนังสือเดินทาง|病歷號碼|病歷號|病歷編號|病历号|病历号码|病历编号|病案号|病案號|住院号|住院號|住院編號
门诊号|門診號|就诊卡号|就診號|掛號證號|患者编号|患者編號|患者号|病人編號|病人编号|病人號碼|档案号|檔案編號|登记号|身分證字號
身分證號碼|身分證號|身分證|身份證號碼|身份證號|身份證字號|身份證|身份证号码|身份证号|身份证|香港身份證號碼|香港身份證
居留證號|居留證|居留证|統一證號|健保卡號|健保卡|健保卡號碼|医保卡号|医保号|医保卡|社保号|社会保障号码|社保卡号|护照号码
护照号|护照|護照號碼|護照號|護照|驾驶证号|駕照號碼|银行卡号|銀行帳號|帳號|账号|卡号|卡號|公民身份号码|证件号码|证件号
證件號碼|患者番号|患者id|カルテ番号|カルテno|診察券番号|診療録番号|id番号|マイナンバー|個人番号|保険証番号|被保険者番号
被保険者証|記号番号|保険者番号|受給者番号|旅券番号|パスポート番号|パスポート|免許証番号|在留カード番号|住民票コード
基礎年金番号|口座番号|カード番号|주민등록번호|주민 등록번호|주민번호|외국인등록번호|외국인 등록번호|등록번호|환자번호
환자 번호|환자등록번호|환자 등록번호|병록번호|차트번호|차트 번호|병원등록번호|의무기록번호|진료기록번호|챠트번호|여권번호
여권 번호|여권|운전면허번호|운전면허|면허번호|건강보험증번호|건강보험번호|보험증번호|보험번호|계좌번호|카드번호|접수번호
검체번호|사번
"""
# With these, it takes six: they stand beside years and telephone numbers of services too.
WEAK = """
pid|historia|h clínica|accession|no adhérent|patiënt
ird|hc|карта|dl|nda
passport|ur|urn|mr|acct|record|case id|rg|kt|documento|ipp|iep|ndp|nip|nir|nas|nam|run|cns|tsi|cip|hn|h n|серия|nhs|sin|tfn
medicare|pan|id|chi|hcn|phn|ein|card|konto|compte|cuenta|conto|保险|保險
"""
PHONE = """
tel no|ring me on|phone number is|home phone|work phone|cell no|landline|emergency contact|nok tel|telefonnr
mobilnr|numéro de téléphone|número de teléfono|numero di telefono|telefoonnummer|mob nr|電話號|联络电话|联系方式
聯絡方式|緊急連絡先|비상연락처|رقم الجوال|الجوال|موبايل
tel|telephone|telephone no|telephone number|phone|phone no|phone number|ph no|mobile|mobile no|mobile number|mob|cell phone
cellphone|call|call me at|contact no|contact number|contact|fax|fax no|pager|bleep|whatsapp|viber|telefon|telefonnummer
tel nr|handynummer|mobil|mobilnummer|rufnummer|téléphone|tél|gsm|teléfono|telf|tfno|tlf|móvil|celular|telefone|telemóvel
telefono|cellulare|telefoon|telefoonnummer|mobiel|puhelin|puh|telefonszám|numer telefonu|komórka|nr tel|telefon nr
telefon no|cep tel|gsm no|телефон|тел|моб|номер телефона|моб тел|τηλέφωνο|τηλ|κιν|טלפון|נייד|טל|هاتف|الهاتف|رقم الهاتف|جوال
تلفن|موبایل|फ़ोन|मोबाइल|फोन|โทร|โทรศัพท์|เบอร์โทร|เบอร์|điện thoại|đt|sđt|telp|telepon|no hp|nombor telefon|電話|電話號碼
电话|电话号码|手機|手機號碼|手机|手机号|手机号码|聯絡電話|联系电话|行動電話|傳真|传真|電話番号|携帯|携帯電話|携帯番号|連絡先
전화|전화번호|휴대폰|휴대전화|휴대폰번호|핸드폰|핸드폰번호|연락처|팩스|휴대폰 번호
"""


def words(text: str) -> list[str]:
    """Return the labels of a list, the longest first."""
    return sorted(
        {label.strip() for label in text.replace("\n", "|").split("|") if label.strip()},
        key=lambda label: (-len(label), label),
    )
