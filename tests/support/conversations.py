"""Synthetic follow-up questions with passages that answer them, passages that do not."""

from __future__ import annotations

from typing import NamedTuple


class FollowUp(NamedTuple):
    """A question after another one; `near` is on its subject without the answer, `far` asks the same of another subject."""

    before: str
    question: str
    answering: str
    near: str
    far: str


FOLLOW_UPS = [
    FollowUp(*texts)
    for texts in (
        (
            "How do I apply for a parking permit as a resident?",
            "And how much is it for a second car?",
            "A resident parking permit costs 40 euros a year for the first car and 90 euros for a second car in the same household.",
            "Resident parking permits are valid in the zone printed on them only; visitors buy a day ticket.",
            "At the rental desk a second car of the same class is how much the first one is, less ten percent.",
        ),
        (
            "What should I know before starting metformin?",
            "Can it upset my stomach?",
            "Metformin often causes nausea and diarrhoea in the first weeks; taking it with meals helps the stomach.",
            "Metformin is started at 500 mg once a day and raised slowly.",
            "Ibuprofen can upset the stomach when it is taken before meals.",
        ),
        (
            "When is the blood donation centre open?",
            "And on holidays?",
            "On public holidays the blood donation centre is closed, apart from 24 December until noon.",
            "To give blood you must weigh at least 50 kilograms.",
            "On holidays the bakery sells cakes from nine to twelve.",
        ),
        (
            "How do I reset the password of my account?",
            "What if I no longer have that phone?",
            "If you have lost the phone for verification codes, choose recovery by e-mail on the password page of your account.",
            "Passwords need twelve characters and a digit.",
            "If the phone no longer charges, clean the socket with a soft brush.",
        ),
        (
            "Is the swimming pool suitable for babies?",
            "How warm is the water?",
            "The water in the baby pool is 33 degrees warm, in the large swimming pool 27 degrees.",
            "Babies wear a swimming nappy in the pool.",
            "Serve the tea with warm water, not hot, so that it stays mild.",
        ),
        (
            "What is covered by the travel insurance?",
            "Does it include skiing?",
            "Winter sports such as skiing are included in the travel insurance as long as you stay on marked slopes.",
            "The travel insurance pays for cancelled flights up to 2,000 euros.",
            "The ski school offers skiing for beginners every morning.",
        ),
        (
            "How do I look after my new cast?",
            "Can I shower with it?",
            "Keep the cast dry: shower with a plastic bag taped over it, and never put it under water.",
            "If your fingers swell under the cast, hold the arm up and call us.",
            "A shower uses less water than a bath.",
        ),
        (
            "How long is the warranty of the washing machine?",
            "Who do I call when it breaks?",
            "For repairs under the warranty of your washing machine call the service line printed on the door.",
            "The warranty of washing machines is two years, five for the motor.",
            "Who breaks a window has to call the caretaker.",
        ),
        (
            "Where can I vote in the city election?",
            "Do I need my passport?",
            "Bring your polling card or your passport or identity card to vote in the city election.",
            "Polling stations are open from eight to six.",
            "For the flight to London you need a passport that is valid for six months.",
        ),
        (
            "How do I prepare for a colonoscopy?",
            "What may I drink the day before?",
            "On the day before the colonoscopy drink clear fluids: water, tea without milk, clear broth.",
            "A colonoscopy takes about thirty minutes; you are given a sedative.",
            "On the day before the marathon runners drink a litre more.",
        ),
        (
            "How do I cancel my gym membership?",
            "Is there a fee?",
            "Cancelling the gym membership is free at the end of the term; before that a fee of one month is due.",
            "The gym is open from six in the morning to eleven at night.",
            "The library charges a fee for books that come back late.",
        ),
        (
            "Which vaccines do I need for Kenya?",
            "How long before the trip?",
            "The vaccine against yellow fever must be given at least ten days before the trip to Kenya.",
            "Kenya asks for proof of yellow fever vaccination if you come from certain countries.",
            "Book the trip to Norway eight weeks before the summer holidays.",
        ),
        (
            "How do I set up two monitors on the laptop?",
            "It only shows one.",
            "If the laptop shows only one of two monitors, open display settings and choose extend; check the cable of the second monitor.",
            "The dock charges the laptop with 65 watts.",
            "The receipt shows only one of the articles that you returned.",
        ),
        (
            "How do I register my newborn child?",
            "What documents?",
            "To register a newborn bring the documents of the hospital about the birth, passports of both parents and the marriage certificate.",
            "A newborn child must be registered within one week.",
            "The documents of the new tenants lie in the office on the second floor.",
        ),
        (
            "How do I treat a mild sunburn?",
            "For a two-year-old?",
            "Children under two years with sunburn should see a doctor; a mild burn of a two-year-old is cooled with wet cloths and they should drink a lot.",
            "Sunburn peels after some days; do not pull the skin.",
            "A car seat for a two-year-old faces backwards.",
        ),
        (
            "When can I remove the stitches on my knee?",
            "What is the phone number of the eye clinic?",
            "The eye clinic can be reached by phone under extension 4412.",
            "Stitches on the knee are removed after twelve days.",
            "Bus 12 stops at the town hall.",
        ),
        (
            "Wie beantrage ich einen Parkausweis?",
            "Und was kostet er für ein zweites Auto?",
            "Der Parkausweis für Anwohner kostet 40 Euro, für ein zweites Auto 90 Euro im Jahr.",
            "Der Parkausweis gilt in der aufgedruckten Zone.",
            "Im Kino kostet das zweite Getränk die Hälfte.",
        ),
        (
            "糖尿病患者可以吃水果嗎？",
            "那芒果呢？",
            "芒果含糖量高，糖尿病患者一次最多吃半顆芒果。",
            "糖尿病患者應定期量血糖。",
            "芒果冰在夏天的夜市很受歡迎。",
        ),
        (
            "血圧の薬はいつ飲みますか",
            "飲み忘れたらどうしますか",
            "血圧の薬を飲み忘れたときは、気づいた時にすぐ飲み、二回分を一度に飲まないでください。",
            "血圧の薬は冷暗所に保管します。",
            "電源を切り忘れたらどうするかは説明書にあります。",
        ),
        (
            "여권을 어떻게 신청하나요?",
            "수수료는 얼마예요?",
            "여권 신청 수수료는 10년 여권 5만 원입니다.",
            "여권 사진은 6개월 이내의 것이어야 합니다.",
            "은행 송금 수수료는 500원입니다.",
        ),
    )
]

# Turns that ask for no passage.
CONTINUING = (
    *("Thanks!", "thank you very much", "Okay, great.", "Hi there", "Yes please", "Perfect, thanks a lot!", "Go on"),
    *(
        "Tell me more",
        "Please continue",
        "Can you give an example?",
        "Please explain that in more detail",
        "👍",
        "Why?",
    ),
    *(
        "谢谢",
        "謝謝你！",
        "請繼續",
        "ありがとうございます",
        "続けてください",
        "고마워요",
        "Danke schön",
        "Merci beaucoup",
        "gracias",
    ),
)
# Turns that begin or hold such words and yet ask for something.
ASKING = (
    *("What is a good example of a sonnet?", "How do I say thank you in Korean?", "Is it safe?", "And for children?"),
    *("继续教育是什么", "好的医生在哪里", "네덜란드 수도", "続けて飲んでもいい薬"),
)
